"""Checks that warn and block nothing: shares of documents, answers and citations, and a pinned older index.

They are evaluated with their asset, which costs no step of their own. The limits are settings of the section watch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import dagster as dg
import pyarrow as pa

from kohaku_assets.assets.place import Place
from kohaku_assets.pipeline.project import Project
from kohaku_assets.records.publication import pin_notice
from kohaku_lib.evaluation.quality_shares import blank_share, failed_share, unfound_share, unsupported_share
from kohaku_lib.settings import value_of

NEWEST_PUBLISHED = "newest_is_published"


@dataclass(frozen=True, slots=True)
class ShareCheck:
    """A share of the rows of a table that must not exceed a setting."""

    asset: str
    name: str
    description: str
    reads: str  # the stage whose output is counted
    columns: tuple[str, ...]
    share: Callable[[pa.Table], float | None]
    limit: str  # dotted name of the setting


_SHARES = (
    ShareCheck(
        "documents",
        "few_documents_failed",
        "The share of documents that could not be parsed is at most watch.failed_documents.",
        "documents",
        ("status",),
        failed_share,
        "watch.failed_documents",
    ),
    ShareCheck(
        "ensemble_votes",
        "few_answers_blank",
        "The share of blank answers is at most watch.blank_answers.",
        "ensemble_votes",
        ("answer_value",),
        blank_share,
        "watch.blank_answers",
    ),
    ShareCheck(
        "ensemble_votes",
        "few_answers_unsupported",
        "The share of answers without a quote found in its document is at most watch.unsupported_answers.",
        "predictions",
        ("answer_value", "citations"),
        unsupported_share,
        "watch.unsupported_answers",
    ),
    ShareCheck(
        "ensemble_votes",
        "quotes_found",
        "The share of cited quotes not found in their document is at most watch.unfound_quotes.",
        "predictions",
        ("citations",),
        unfound_share,
        "watch.unfound_quotes",
    ),
)


def warning_specs(asset: str, place: Place) -> list[dg.AssetCheckSpec]:
    """Return the specs of the warnings of `asset`, which stands at `place`."""
    key = place.key(asset)
    specs = [
        dg.AssetCheckSpec(one.name, asset=key, description=one.description) for one in _SHARES if one.asset == asset
    ]
    if asset == "published_index":
        about = "The published index is the newest one, and not an older one that was pinned by a roll-back."
        specs.append(dg.AssetCheckSpec(NEWEST_PUBLISHED, asset=key, description=about))
    return specs


def warnings(project: Project, asset: str) -> Iterator[dg.AssetCheckResult]:
    """Evaluate the warnings of `asset` on the current outputs of `project`."""
    yield from (_share_result(project, one) for one in _SHARES if one.asset == asset)
    if asset == "published_index":
        yield dg.AssetCheckResult(**publication_result(project))


def publication_result(project: Project) -> dict[str, Any]:
    """Return the fields of the result of the check that the newest index is published."""
    notice = pin_notice(project)
    return {
        "check_name": NEWEST_PUBLISHED,
        "passed": notice is None,
        "severity": dg.AssetCheckSeverity.WARN,
        "description": notice or "",
    }


def _share_result(project: Project, check: ShareCheck) -> dg.AssetCheckResult:
    share = check.share(project.files.open_latest(check.reads, check.columns).table())
    limit: float = value_of(project.settings, check.limit)
    passed = share is None or share <= limit
    return dg.AssetCheckResult(
        check_name=check.name,
        passed=passed,
        severity=dg.AssetCheckSeverity.WARN,
        description="" if passed else f"{share:.3f} is more than {check.limit} = {limit:g}",
        metadata={"share": share, "limit": limit} if share is not None else {"limit": limit},
    )

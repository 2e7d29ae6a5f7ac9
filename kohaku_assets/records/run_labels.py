"""The tags that tell people why a run was started, by whom, and with which settings of the command line."""

from __future__ import annotations

import getpass
from collections.abc import Sequence

from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.staleness import AssetStatus
from kohaku_lib.composition.loading import COMMAND_LINE
from kohaku_lib.masking import masked
from kohaku_lib.settings import pick

WHY, BY, SET = "kohaku/why", "kohaku/by", "kohaku/set"
MAX_CAUSES = 3


def why_tag(statuses: Sequence[AssetStatus]) -> dict[str, str]:
    """Return the tag with the first causes of `statuses`, those that only follow from others aside.

    >>> changed = AssetStatus("scores", "stale", ("code 1 → 2",))
    >>> why_tag([changed, AssetStatus("published_index", "stale", ("upstream: scores",))])
    {'kohaku/why': 'scores: code 1 → 2'}
    """
    causes = [f"{one.asset}: {cause}" for one in statuses for cause in one.causes if not cause.startswith("upstream")]
    more = f"; and {len(causes) - MAX_CAUSES} more" if len(causes) > MAX_CAUSES else ""
    return {WHY: "; ".join(causes[:MAX_CAUSES]) + more or "forced"}


def label_tags(project: Project, statuses: Sequence[AssetStatus]) -> dict[str, str]:
    """Return the tags of a run of `statuses` that is started on the command line or from Python."""
    keys = [key for key, place in project.loaded.places.items() if place == COMMAND_LINE and key != "store"]
    overrides = ", ".join(f"{key}={value}" for key, value in pick(project.settings, keys).items())
    return why_tag(statuses) | {BY: _user()} | ({SET: masked(overrides)} if overrides else {})


def cell_tags(sweep: str, overrides: Sequence[str]) -> dict[str, str]:
    """Return the tags of a run of one cell of a sweep that is started on the command line."""
    return {WHY: f"sweep {sweep}", BY: _user(), SET: masked(", ".join(overrides))}


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user without a name, as in a container
        return "unknown"

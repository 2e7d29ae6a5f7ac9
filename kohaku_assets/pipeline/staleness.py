"""Which assets are out of date, and why: compares the projected version of each with the record in the store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from kohaku_assets.pipeline.stage import Stage
from kohaku_assets.pipeline.stages import STAGES, parents, with_ancestors
from kohaku_lib.digests import digest
from kohaku_lib.settings import Settings
from kohaku_lib.settings.renamed import with_first_names, with_present_names
from kohaku_lib.storage import LatestRecord, StageFiles
from kohaku_lib.tables import TO_RETRY

FILES = ":files"
FileDigests = Mapping[str, Callable[[], str]]  # stage that reads files to the digest of those files
RETRIED = "to be tried again"  # ends the cause of a stage that is stale for nothing else


@dataclass(frozen=True, slots=True)
class AssetStatus:
    """The status of an asset; the causes are short phrases, empty if it is fresh."""

    asset: str
    status: Literal["fresh", "stale", "missing"]
    causes: tuple[str, ...] = ()


def asset_statuses(
    settings: Settings,
    files: FileDigests,
    store: StageFiles,
    damage: Callable[[LatestRecord], str | None],
    names: Iterable[str] | None = None,
) -> list[AssetStatus]:
    """Return the status of `names` (all by default) and their ancestors, in the order of the pipeline.

    A change of a setting, a file or a code tag makes everything downstream stale. Files that no named asset depends on
    are not read. `damage` describes the damage to the output of a record, None if it is intact.
    """
    stage_names = with_ancestors(names if names is not None else STAGES, settings)
    versions = projected_versions(settings, files, stage_names)
    records = {name: store.latest(name) for name in stage_names}
    statuses: dict[str, AssetStatus] = {}
    for name in stage_names:
        record = records[name]
        if record is None:
            statuses[name] = AssetStatus(name, "missing", (store.why_missing(name),))
        elif wrong := damage(record):
            statuses[name] = AssetStatus(name, "missing", (wrong,))
        elif record.failed_check:
            statuses[name] = AssetStatus(name, "stale", (record.failed_check,))
        else:
            causes = tuple(_stale_causes(STAGES[name], record, settings, versions, records, statuses))
            statuses[name] = AssetStatus(name, "stale" if causes else "fresh", causes)
    return [_with_retries(status, records[status.asset], store) for status in statuses.values()]


def _with_retries(status: AssetStatus, record: LatestRecord | None, store: StageFiles) -> AssetStatus:
    """Return `status`, or that a stage is stale since rows of it failed for a reason that may have passed.

    What depends on it is stale only once it comes out otherwise.
    """
    if status.status != "fresh" or record is None:
        return status
    manifest = store.manifest(store.path(record.stage, record.input_key).with_suffix(".json"))
    count = int(manifest.metrics.get(TO_RETRY, 0)) if manifest is not None else 0
    return replace(status, status="stale", causes=(f"{count} {RETRIED}",)) if count else status


def projected_versions(settings: Settings, files: FileDigests, names: Iterable[str]) -> dict[str, str]:
    """Return the version that each of `names` and their ancestors will have once it is up to date.

    For a stage that reads user files, their digest is included under "<stage>:files".
    """
    versions: dict[str, str] = {}
    for name in with_ancestors(names, settings):
        stage = STAGES[name]
        file_digest = files[name]() if stage.reads_files else None
        versions[name] = stage_version(stage, stage.slice(settings), file_digest, versions)
        if file_digest is not None:
            versions[f"{name}{FILES}"] = file_digest
    return versions


def stage_version(
    stage: Stage, settings_slice: Mapping[str, Any], file_digest: str | None, versions: Mapping[str, str]
) -> str:
    """Return the cumulative version of a stage: a digest of its tag, slice, files and parents' versions."""
    named = with_first_names(settings_slice)
    return digest([stage.name, stage.code_tag, named, file_digest, _parent_versions(stage, versions)])


def _parent_versions(stage: Stage, versions: Mapping[str, str]) -> list[str]:
    """Return the versions of the parents that are on; those that are off are not among `versions`."""
    return [versions[name] for name in stage.reads if name in versions]


def stage_input_key(
    stage: Stage, settings_slice: Mapping[str, Any], file_digest: str | None, parent_hashes: Mapping[str, str]
) -> str:
    """Return the key of a stage's output: a digest of its tag, slice, files and parents' contents."""
    return digest([stage.name, stage.code_tag, with_first_names(settings_slice), file_digest, dict(parent_hashes)])


def _stale_causes(
    stage: Stage,
    record: LatestRecord,
    settings: Settings,
    versions: Mapping[str, str],
    records: Mapping[str, LatestRecord | None],
    statuses: Mapping[str, AssetStatus],
) -> Iterator[str]:
    """Yield the reasons why the output of a stage is out of date."""
    if record.version == versions[stage.name]:
        yield from _changed_parents(stage, record, parents(stage, settings), records, statuses)
        return
    if record.code_tag != stage.code_tag:
        yield f"code {record.code_tag} → {stage.code_tag}"
    old, new = with_present_names(record.slice), stage.slice(settings)
    changed_keys = [key for key in dict.fromkeys([*old, *new]) if old.get(key) != new.get(key)]
    in_both = [key for key in changed_keys if key in old and key in new]
    for key in in_both or changed_keys:  # the others appear or disappear as a consequence
        yield f"{key}: {_short_value(old.get(key))} → {_short_value(new.get(key))}"
    if stage.reads_files and record.files != versions[f"{stage.name}{FILES}"]:
        yield "files changed"
    inputs = parents(stage, settings)
    outdated = [name for name in inputs if statuses[name].status != "fresh"]
    rebuilt = [name for name in inputs if name not in outdated and record.parents.get(name) != versions[name]]
    if outdated:
        yield f"upstream: {', '.join(outdated)}"
    if rebuilt:
        yield f"rebuilt since: {', '.join(rebuilt)}"


def _changed_parents(
    stage: Stage,
    record: LatestRecord,
    read: Sequence[str],
    records: Mapping[str, LatestRecord | None],
    statuses: Mapping[str, AssetStatus],
) -> Iterator[str]:
    """Yield the parents of unchanged version whose content differs, or may differ, from what was read.

    A lost output is expected to be restored identically; an incomplete one or one that failed a check will change.
    """
    unsettled = [name for name in read if statuses[name].status == "stale"]
    if unsettled:
        yield f"upstream: {', '.join(unsettled)}"
        return
    hashes = {name: parent.content_hash for name in read if (parent := records[name])}
    if len(hashes) == len(read) and record.input_key != stage_input_key(stage, record.slice, record.files, hashes):
        yield f"content changed: {', '.join(read)}"


def _short_value(value: object) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."

"""Finds damaged files in a store, moves them to quarantine, and recomputes the affected assets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kohaku_assets.operations.doctor.quarantine import Fault, Quarantine
from kohaku_assets.operations.doctor.store_faults import find_faults
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.staleness import AssetStatus
from kohaku_assets.records.sql_views import write_sql_views
from kohaku_assets.records.store_format import store_format
from kohaku_lib.errors import KohakuError, StoreError
from kohaku_lib.storage import store_lock


@dataclass(frozen=True, slots=True)
class Finding:
    """One damaged file or asset; `done` is the action taken, None if none was."""

    path: str
    wrong: str
    done: str | None = None

    @property
    def remains(self) -> bool:
        """Whether the damage has not been repaired."""
        return self.done is None


def examine(project: Project, *, mend: bool) -> list[Finding]:
    """Read the whole store of `project` and return the damage found and the actions taken.

    With `mend`, damaged files are moved to quarantine and their assets are recomputed, unless other assets are
    outdated too.

    Raises:
        StoreError: Another run holds the store lock, or a newer version of Kohaku has written to the store.
    """
    with store_lock(project.store):
        store_format(project.store)  # what a newer version has written is not damaged
        quarantine = Quarantine(project.store)
        faults = find_faults(project, quarantine, afresh=True)
        lost = _damaged_assets(project)
        if not mend:
            findings = [_finding_of(project, fault) for fault in faults]
            return [*findings, *(Finding(status.asset, "; ".join(status.causes)) for status in lost)]
        done = _repair_all(project, quarantine, faults)
        # The published index may have been moved; the status of an asset whose record was moved is unknown now.
        lost = list({status.asset: status for status in (*_damaged_assets(project), *lost)}.values())
        rebuilt = _recompute_assets(project, lost)
        if done or lost:
            write_sql_views(project)
        left = {_finding_of(project, fault).path for fault in find_faults(project, quarantine, afresh=False)}
        return [*(replace(one, done=None) if one.path in left else one for one in done), *rebuilt]


def _repair_all(project: Project, quarantine: Quarantine, faults: Sequence[Fault]) -> list[Finding]:
    """Repair `faults` and those that appear as a consequence, such as a pointer to a moved folder."""
    finding_by_path: dict[Path, Finding] = {}
    while new := [fault for fault in faults if fault.path not in finding_by_path]:
        finding_by_path |= {fault.path: replace(_finding_of(project, fault), done=_try_repair(fault)) for fault in new}
        faults = find_faults(project, quarantine, afresh=False)
    return list(finding_by_path.values())


def _finding_of(project: Project, fault: Fault) -> Finding:
    path, store = fault.path.absolute(), project.store.absolute()
    return Finding(str(path.relative_to(store) if path.is_relative_to(store) else path), fault.wrong)


def _try_repair(fault: Fault) -> str | None:
    try:
        return fault.mend()
    except (OSError, StoreError):
        return None


def _damaged_assets(project: Project) -> list[AssetStatus]:
    """Return the built assets whose output is lost or damaged; [] if the user files cannot be read."""
    try:
        statuses = _without_caches(project).statuses()
    except KohakuError:
        return []
    return [status for status in statuses if status.status == "missing" and status.causes != ("never built",)]


def _recompute_assets(project: Project, lost: Sequence[AssetStatus]) -> list[Finding]:
    """Recompute the `lost` assets and return a finding for each."""
    from kohaku_assets.operations.refresh import refresh

    if not lost:
        return []
    names = [status.asset for status in lost]
    later = "moved away; run 'kohaku refresh' to recompute it, as other assets are outdated too"
    if _has_other_outdated(project, names):
        return [Finding(status.asset, "; ".join(status.causes), later) for status in lost]
    report = refresh(_without_caches(project), names)
    left = {status.asset for status in _damaged_assets(project)}
    why_not = f"; not recomputed: {report.failure}" if report.failure else ""
    return [
        Finding(status.asset, "; ".join(status.causes) + why_not)
        if status.asset in left
        else Finding(status.asset, "; ".join(status.causes), "recomputed")
        for status in lost
    ]


def _has_other_outdated(project: Project, lost: Sequence[str]) -> bool:
    """Return whether ancestors of the `lost` assets are outdated for other reasons."""
    statuses = _without_caches(project).statuses(lost)
    return any(status.status != "fresh" and status.asset not in lost for status in statuses)


def _without_caches(project: Project) -> Project:
    """Return a copy of the project without its cached properties."""
    return replace(project)

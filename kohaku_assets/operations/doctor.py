"""Finds what is damaged in a store, moves it out of the way, and computes again what can be computed again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kohaku_assets.operations.store_faults import Aside, Fault, find_faults
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.staleness import AssetStatus
from kohaku_lib.errors import KohakuError
from kohaku_lib.storage import store_lock


@dataclass(frozen=True, slots=True)
class Finding:
    """One damaged file or asset; `done` is what was done, None where it was only looked at or nothing could be."""

    path: str
    wrong: str
    done: str | None = None

    @property
    def remains(self) -> bool:
        """Whether it is as damaged as before."""
        return self.done is None


def examine(project: Project, *, mend: bool) -> list[Finding]:
    """Return what is damaged in the store of `project`, all of which is read, and what was done about it.

    With `mend` damaged files are moved away and the assets that they belonged to computed again, where nothing else is
    out of date; each has a finding. Raises StoreError where another run holds the store.
    """
    with store_lock(project.store):
        aside = Aside(project.store)
        faults = find_faults(project, aside, afresh=True)
        lost = _damaged_assets(project)
        if not mend:
            found = [_finding(project, fault) for fault in faults]
            return [*found, *(Finding(status.asset, "; ".join(status.causes)) for status in lost)]
        done = _all_mended(project, aside, faults)
        # What was published may have been moved away; a record that was is not known any more.
        lost = list({status.asset: status for status in (*_damaged_assets(project), *lost)}.values())
        rebuilt = _rebuilt(project, lost)
        if done or lost:
            project.write_views()
        left = {_finding(project, fault).path for fault in find_faults(project, aside, afresh=False)}
        return [*(replace(one, done=None) if one.path in left else one for one in done), *rebuilt]


def _all_mended(project: Project, aside: Aside, faults: Sequence[Fault]) -> list[Finding]:
    """Mend `faults` and those that show once they are mended, such as a pointer to what was moved away."""
    found: dict[Path, Finding] = {}
    while new := [fault for fault in faults if fault.path not in found]:
        found |= {fault.path: replace(_finding(project, fault), done=_mended(fault)) for fault in new}
        faults = find_faults(project, aside, afresh=False)
    return list(found.values())


def _finding(project: Project, fault: Fault) -> Finding:
    path, store = fault.path.absolute(), project.store.absolute()
    return Finding(str(path.relative_to(store) if path.is_relative_to(store) else path), fault.wrong)


def _mended(fault: Fault) -> str | None:
    try:
        return fault.mend()
    except OSError:
        return None


def _damaged_assets(project: Project) -> list[AssetStatus]:
    """Return the assets whose output was built and is lost or damaged; [] where the files of the user cannot be read."""
    try:
        statuses = _afresh(project).statuses()
    except KohakuError:
        return []
    return [status for status in statuses if status.status == "missing" and status.causes != ("never built",)]


def _rebuilt(project: Project, lost: Sequence[AssetStatus]) -> list[Finding]:
    """Compute the `lost` assets again and return what came of each."""
    from kohaku_assets.operations.refresh import refresh

    if not lost:
        return []
    names = [status.asset for status in lost]
    later = "moved away; 'kohaku refresh' makes it again, as there is more to bring up to date"
    if _others(project, names):
        return [Finding(status.asset, "; ".join(status.causes), later) for status in lost]
    report = refresh(_afresh(project), names)
    left = {status.asset for status in _damaged_assets(project)}
    why_not = f"; not computed again: {report.failure}" if report.failure else ""
    return [
        Finding(status.asset, "; ".join(status.causes) + why_not)
        if status.asset in left
        else Finding(status.asset, "; ".join(status.causes), "computed again")
        for status in lost
    ]


def _others(project: Project, lost: Sequence[str]) -> bool:
    """Return whether assets that the `lost` ones read are out of date for another reason than these."""
    statuses = _afresh(project).statuses(lost)
    return any(status.status != "fresh" and status.asset not in lost for status in statuses)


def _afresh(project: Project) -> Project:
    """Return the project with nothing known of its files yet."""
    return replace(project)

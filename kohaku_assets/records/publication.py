"""Which index is published and which a refresh would publish: roll-backs are pinned until somebody lifts the pin."""

from __future__ import annotations

from dataclasses import replace

from kohaku_assets.pipeline.companion_files import companion_seals
from kohaku_assets.pipeline.project import Project
from kohaku_assets.records.release import record_release
from kohaku_lib.errors import StoreError
from kohaku_lib.index import current_version, pin, pinned, publish, unpin
from kohaku_lib.storage import LatestRecord


def released_version(project: Project) -> str | None:
    """Return the version that the last refresh published, or would have but for the pin; None if there was none."""
    record = project.present("published_index")
    if record is None:
        return None
    return project.files.read("published_index", record.input_key)["index_version"][0].as_py()


def publish_version(project: Project, version: str) -> None:
    """Publish `version`; an older one than the released is pinned, the released one lifts the pin.

    Raises:
        StoreError: There is no such version.
    """
    publish(project.snapshots, version)
    if released_version(project) not in (None, version):
        pin(project.snapshots)
    else:
        unpin(project.snapshots)


def lift_pin(project: Project) -> str:
    """Lift the pin, publish the released version and return it.

    Raises:
        StoreError: No version is pinned, or the released one no longer exists.
    """
    if pinned(project.snapshots) is None:
        msg = f"no index version is pinned; {current_version(project.snapshots)} is published"
        raise StoreError(msg)
    version = released_version(project) or current_version(project.snapshots)
    if version is None:
        msg = "there is no index to publish; run 'kohaku refresh'"
        raise StoreError(msg)
    publish_version(project, version)
    unpin(project.snapshots)
    record = project.present("published_index")
    if record is not None and _has_current_scores(project, record):
        record_release(project, version)
        project.files.set_latest(replace(record, beside=companion_seals(project.store, record.stage)))
    return version


def pin_notice(project: Project) -> str | None:
    """Say in a sentence that an older index is published, since and until when; None if that is not so."""
    found = pinned(project.snapshots)
    if found is None:
        return None
    since = f" since {found.since[:16].replace('T', ' ')} UTC" if found.since else ""
    newest, current = released_version(project), current_version(project.snapshots)
    then = f", which publishes {newest}" if newest not in (None, current) else ""
    return (
        f"questions are answered from index version {current}, which is pinned{since} "
        f"until 'kohaku snapshots --unpin'{then}"
    )


def _has_current_scores(project: Project, record: LatestRecord) -> bool:
    """Return whether the current scores are those of the released version, and not of a later one held back."""
    return all((own := project.files.latest(name)) and own.version == read for name, read in record.parents.items())

"""The backup of a project's store."""

from __future__ import annotations

from kohaku_assets.pipeline.project import Project
from kohaku_lib.errors import KohakuError, SettingsError
from kohaku_lib.masking import shown_url
from kohaku_lib.storage.backups.backing_up import BackupReport, back_up
from kohaku_lib.storage.backups.object_store import ObjectStore


def backup_project(project: Project, url: str | None = None) -> BackupReport:
    """Back up the store of `project` to `url`, backup.url by default; a run may go on meanwhile.

    Raises:
        KohakuError: There is no address, it is that of the store itself, the store is damaged, or the address cannot be
            written.
    """
    if (url or project.settings.backup.url) == project.settings.bucket.url is not None:
        msg = f"{shown_url(str(project.settings.bucket.url))!r} is bucket.url, where the store lies; back up to another address"
        raise SettingsError(msg)
    return back_up(project.store, open_backups(project, url), project.settings.backup.keep)


def open_backups(project: Project, url: str | None = None) -> ObjectStore:
    """Return the folder or bucket of the backups at `url`, backup.url by default."""
    address = url or project.settings.backup.url
    if address is None:
        msg = "there is no address of backups; give one, such as '/mnt/backups' or 's3://bucket/folder', or set backup.url"
        raise SettingsError(msg)
    return ObjectStore(address)


def backup_after_run(project: Project) -> str | None:
    """Back up the store if backup.after_refresh is set, and return a sentence about it; a fault fails no run."""
    if not project.settings.backup.after_refresh:
        return None
    try:
        return backup_project(project).text
    except KohakuError as error:
        return f"no backup was made: {error}"

"""The lock of a project for everything that writes: that of its store on this machine, and the lease of its bucket."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kohaku_assets.pipeline.project import Project
from kohaku_assets.records.sql_views import write_sql_views
from kohaku_assets.records.store_format import update_store_format
from kohaku_lib.storage import store_lock
from kohaku_lib.storage.sharing.shared_store import shared_store


@contextmanager
def project_lock(project: Project, waits: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Hold the locks of `project`; with bucket.url the store is fetched at the begin, and uploaded meanwhile and at the end.

    A store of an older format is brought to that of this version. Reentrant within a process. While another process holds
    the store, it is waited for as long as `waits` says so.

    Raises:
        StoreError: Another process or machine holds one of them, the bucket cannot be read or written, or a newer
            version of Kohaku has written to the store.
    """
    with store_lock(project.store, waits), shared_store(project.store, project.settings.bucket) as has_fetched:
        update_store_format(project.store)
        if has_fetched:
            write_sql_views(project)
        yield

"""The lock of a project for everything that writes: that of its store on this machine, and the lease of its bucket."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kohaku_assets.pipeline.project import Project
from kohaku_lib.storage import store_lock
from kohaku_lib.storage.sharing.shared_store import shared_store


@contextmanager
def project_lock(project: Project) -> Iterator[None]:
    """Hold the locks of `project`; with bucket.url the store is fetched at the begin, and uploaded meanwhile and at the end.

    Reentrant within a process.

    Raises:
        StoreError: Another process or machine holds one of them, or the bucket cannot be read or written.
    """
    with store_lock(project.store), shared_store(project.store, project.settings.bucket) as has_fetched:
        if has_fetched:
            project.write_views()
        yield

"""A store in a bucket: what is there is fetched first, what is complete is uploaded while and after this machine works."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kohaku_lib.errors import StoreError
from kohaku_lib.masking import shown_url
from kohaku_lib.storage.backups.backing_up import back_up
from kohaku_lib.storage.backups.backup_manifest import Pointer, read_pointer
from kohaku_lib.storage.backups.object_store import ChangedMeanwhileError, ObjectStore
from kohaku_lib.storage.sharing.fetching import fetch_state
from kohaku_lib.storage.sharing.lease import Lease, take_lease
from kohaku_lib.storage.sharing.synced_state import read_synced, write_synced
from kohaku_lib.storage.store_paths import StorePaths

if TYPE_CHECKING:
    from kohaku_lib.settings.operations_settings import BucketSettings

_LOGGER = logging.getLogger(__name__)
_OPEN: set[Path] = set()  # stores that this process shares now


@contextmanager
def shared_store(store: Path, settings: BucketSettings) -> Iterator[bool]:
    """Hold the lease of the bucket while the block writes to `store`, and give whether something was fetched before.

    Finished outputs and paid calls are uploaded every bucket.upload_every_s and at the end, also if the block fails; the
    pointer to the new state is written last. Without bucket.url nothing happens. The caller holds the lock of the store;
    reentrant within a process.

    Raises:
        StoreError: Another machine holds the lease, or the bucket cannot be read, or at the end be written.
    """
    place = store.resolve()
    if settings.url is None or place in _OPEN:
        yield False
        return
    objects = ObjectStore(settings.url)
    synced = read_synced(store, settings.url)
    write_synced(store, synced)  # the name of this store, by which it gets its lease again after a kill
    lease = take_lease(objects, synced.holder, settings.lease_s)
    uploads = _Uploads(store, objects, lease, settings)
    _OPEN.add(place)
    try:
        yield uploads.begin()
    except BaseException:
        with suppress(StoreError):
            uploads.finish()
        raise
    else:
        uploads.finish()
    finally:
        _OPEN.discard(place)
        with suppress(StoreError):  # over, and taken by another machine
            lease.release()


class _Uploads:
    """Fetches the newest state at `begin`, uploads from then to `finish`, and renews the lease all the time."""

    def __init__(self, store: Path, objects: ObjectStore, lease: Lease, settings: BucketSettings) -> None:
        self._store, self._objects, self._settings = store, objects, settings
        self._pointer: Pointer | None = None  # unknown until all of it has been fetched
        self._lost: ChangedMeanwhileError | None = None
        self._is_computed, self._is_over = threading.Event(), threading.Event()
        self._uploading: threading.Thread | None = None
        self._renewing = self._every(settings.lease_s / 4, lease.renew, self._is_over)

    def begin(self) -> bool:
        """Fetch what is new in the bucket, and return whether there was something."""
        pointer = read_pointer(self._objects)
        before = read_synced(self._store, self._objects.url).backup
        synced = fetch_state(self._objects, pointer, self._store)
        self._pointer = pointer
        self._uploading = self._every(self._settings.upload_every_s, self._upload, self._is_computed)
        return synced.backup != before

    def finish(self) -> None:
        """Upload what is new for the last time, the lease still renewed; raises StoreError if it cannot be."""
        try:
            self._is_computed.set()
            if self._uploading is not None:
                self._uploading.join()
            if self._lost:
                msg = f"what was computed is here, and not uploaded: {self._lost}"
                raise StoreError(msg) from self._lost
            self._upload()
        finally:
            self._is_over.set()
            self._renewing.join()

    def _every(self, seconds: float, work: Callable[[], object], end: threading.Event) -> threading.Thread:
        def repeat() -> None:
            while not end.wait(seconds) and self._lost is None:
                try:
                    work()
                except ChangedMeanwhileError as error:
                    self._lost = error
                except (StoreError, OSError) as error:
                    _LOGGER.warning("%r is tried again later: %s", shown_url(self._objects.url), error)

        thread = threading.Thread(target=repeat, daemon=True)
        thread.start()
        return thread

    def _upload(self) -> None:
        if self._pointer is None or not any(StorePaths(self._store).stages.glob("*/latest.json")):
            return
        report = back_up(self._store, self._objects, self._settings.keep, since=self._pointer, databases=False)
        if report.pointer == self._pointer:
            return
        self._pointer = report.pointer
        synced = read_synced(self._store, self._objects.url)
        write_synced(self._store, replace(synced, backup=report.backup, index=report.backup.id))

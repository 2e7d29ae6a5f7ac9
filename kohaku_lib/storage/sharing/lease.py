"""The lease of a bucket: one machine at a time writes, and one that was killed is replaced when its time is over."""

from __future__ import annotations

import os
import socket
import threading
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from kohaku_lib.errors import StoreError
from kohaku_lib.masking import shown_url
from kohaku_lib.storage.backups.object_store import ChangedMeanwhileError, ObjectStore
from kohaku_lib.storage.sealed_json import sealed_bytes, unsealed

LEASE = "lease.json"
Clock = Callable[[], datetime]


def now_utc() -> datetime:
    """Return the time of this machine; the clocks of machines that share a bucket should agree within seconds."""
    return datetime.now(UTC)


def take_lease(objects: ObjectStore, holder: str, lease_s: float, clock: Clock = now_utc) -> Lease:
    """Take the lease of a bucket for the store `holder`; one that this store holds, or that is over, is replaced.

    A store is locked on its own machine, so that a lease of its own is that of a process that was killed.

    Raises:
        StoreError: Another machine holds it (there is no wait), or the protocol has no conditional writes.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     objects = ObjectStore(folder)
    ...     lease = take_lease(objects, "a", 60)
    ...     lease.release()
    ...     take_lease(objects, "b", 60).holder
    'b'
    """
    if not objects.has_conditional_writes:
        msg = f"{shown_url(objects.url)!r} cannot be shared by machines; take a folder or an address s3://bucket/folder"
        raise StoreError(msg)
    found = objects.get_tagged(LEASE)
    held = (unsealed(found.content) or {}) if found else {}
    if held and held["holder"] != holder and datetime.fromisoformat(held["until"]) > clock():
        raise StoreError(_taken(objects, held))
    lease = Lease(objects, holder, lease_s, found.tag if found else None, clock)
    try:
        lease.renew()
    except ChangedMeanwhileError:
        now = objects.get_tagged(LEASE)
        raise StoreError(_taken(objects, (unsealed(now.content) if now else None) or {})) from None
    return lease


class Lease:
    """The lease that `holder` holds until `lease_s` after the last `renew`; threads may share it."""

    def __init__(self, objects: ObjectStore, holder: str, lease_s: float, tag: str | None, clock: Clock) -> None:
        self.holder = holder
        self._objects, self._lease_s, self._tag, self._clock = objects, lease_s, tag, clock
        self._token = uuid.uuid4().hex  # tells what this lease wrote itself
        self._lock = threading.Lock()

    def renew(self) -> None:
        """Hold it for another `lease_s`.

        Raises:
            ChangedMeanwhileError: It was over, and another machine has taken it.
        """
        self._write(self._lease_s)

    def release(self) -> None:
        """Give it up; raises as `renew`."""
        self._write(0.0)

    def _write(self, seconds: float) -> None:
        with self._lock:
            until = self._clock() + timedelta(seconds=seconds)
            about = {"holder": self.holder, "host": socket.gethostname(), "process": os.getpid(), "token": self._token}
            content = sealed_bytes({**about, "until": until.isoformat(timespec="microseconds")})
            try:
                self._tag = self._objects.swap(LEASE, content, self._tag)
            except ChangedMeanwhileError:
                self._tag = self._objects.swap(LEASE, content, self._own_tag())

    def _own_tag(self) -> str | None:
        """Return the tag of what this lease wrote itself, the reply to which was lost; else the one that it had."""
        found = self._objects.get_tagged(LEASE)
        held = (unsealed(found.content) or {}) if found else {}
        return found.tag if found and held.get("token") == self._token else self._tag


def _taken(objects: ObjectStore, held: dict[str, Any]) -> str:
    who = f"{held.get('host', 'another machine')}, process {held.get('process', 'unknown')}"
    until = str(held.get("until", "unknown"))[:19].replace("T", " ")
    return (
        f"another machine writes to {shown_url(objects.url)!r} ({who}; its lease ends at {until} UTC unless it goes on); "
        "try again when it has ended"
    )

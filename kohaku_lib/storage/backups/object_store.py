"""Named objects in a folder or in a bucket of any protocol of fsspec; an object is complete or absent."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock
from tenacity import (
    Retrying,
    retry_if_exception_type,
    retry_if_not_exception_type,
    stop_after_attempt,
    wait_exponential,
)

from kohaku_lib.errors import StoreError
from kohaku_lib.install_command import install_command
from kohaku_lib.masking import shown_url

ATTEMPTS = 3  # beyond those of the protocol's own package
Result = TypeVar("Result")
_ABSENT = (FileNotFoundError, IsADirectoryError, NotADirectoryError)


class ChangedMeanwhileError(StoreError):
    """An object was written by somebody else since it was read."""


@dataclass(frozen=True, slots=True)
class Tagged:
    """The content of an object, and the tag of this content that `ObjectStore.swap` compares."""

    content: bytes
    tag: str


class ObjectStore:
    """The objects below `url`: a folder, or an address such as s3://bucket/folder (with the extra [s3]).

    Writes are retried after faults of the server; nothing depends on listings, which may lag behind in buckets.

    Raises:
        StoreError: The protocol is unknown or its package is missing; from every method, that the server fails.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     objects = ObjectStore(folder)
    ...     objects.put("a/b", b"amber")
    ...     objects.get("a/b"), objects.get("c")
    (b'amber', None)
    """

    def __init__(self, url: str, max_wait_s: float = 10.0) -> None:
        import fsspec

        self.url = url
        self._max_wait_s = max_wait_s
        try:
            self._files, root = fsspec.core.url_to_fs(url, use_listings_cache=False, skip_instance_cache=True)
        except (ValueError, ImportError) as error:
            remedy = f"for s3:// run {install_command('s3')}"
            msg = f"{shown_url(url)!r} is no folder and no bucket that can be opened ({error}); {remedy}"
            raise StoreError(msg) from None
        self._root = str(root).rstrip("/")
        self._is_local = "file" in _protocols(self._files)
        self._is_s3 = "s3" in _protocols(self._files)

    @property
    def has_conditional_writes(self) -> bool:
        """Whether `swap` is safe between machines: S3 compares the tag itself (If-Match), a folder is locked."""
        return self._is_local or self._is_s3

    def put(self, name: str, content: bytes | Path) -> None:
        """Write the object `name`: bytes, or those of a file. An object of this name is replaced."""
        self._retried(lambda: self._write(f"{self._root}/{name}", content))

    def get(self, name: str) -> bytes | None:
        """Return the content of an object; None if there is none."""
        try:
            return self._retried(lambda: self._files.cat_file(f"{self._root}/{name}"))
        except _ABSENT:
            return None

    def get_tagged(self, name: str) -> Tagged | None:
        """Return the content of an object with its tag; None if there is none."""
        with suppress(*_ABSENT):  # the tag first: content that is replaced meanwhile has another one
            tag = self._retried(lambda: self._tag(f"{self._root}/{name}"))
            content = self.get(name)
            return None if content is None else Tagged(content, tag)
        return None

    def swap(self, name: str, content: bytes, tag: str | None) -> str:
        """Write the object `name` if it still has the content of `tag`, or with None if there is none; return its new tag.

        Of several writers at once one succeeds where `has_conditional_writes`.

        Raises:
            ChangedMeanwhileError: Somebody else has written it.
        """
        path = f"{self._root}/{name}"
        if self._is_local:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{path}.lock"):
                self._tag_if_written(name, content, tag)
                self.put(name, content)
            return _digest(content)
        if self._is_s3:
            return self._swap_whole(name, content, tag)
        self._tag_if_written(name, content, tag)
        self.put(name, content)
        return _digest(content)

    def fetch(self, name: str, target: Path) -> bool:
        """Write an object to the file `target` and return whether there is one."""
        try:
            self._retried(lambda: self._files.get_file(f"{self._root}/{name}", str(target)))
        except _ABSENT:
            return False
        return True

    def has(self, name: str) -> bool:
        """Return whether there is an object `name` of at least one byte."""
        try:  # its first byte, as 'info' would look for a folder of this name, too, by a listing
            return bool(self._retried(lambda: self._files.cat_file(f"{self._root}/{name}", start=0, end=1)))
        except _ABSENT:
            return False

    def remove(self, name: str) -> None:
        """Delete an object, if there is one."""
        try:
            self._retried(lambda: self._files.rm_file(f"{self._root}/{name}"))
        except _ABSENT:
            return

    def _tag(self, path: str) -> str:
        return str(self._head(path)["ETag"]) if self._is_s3 else _digest(self._files.cat_file(path))

    def _head(self, path: str) -> Any:
        bucket, key, _ = self._files.split_path(path)
        return self._files.call_s3("head_object", Bucket=bucket, Key=key)

    def _swap_whole(self, name: str, content: bytes, tag: str | None) -> str:
        """Swap in a bucket, and again over what was cut on its way: a cut object has a tag of its own."""
        for _ in range(ATTEMPTS):
            before = tag
            tag = self._retried(lambda before=before: self._swap_in_bucket(name, content, before))
            found = self._retried(lambda: self._head(f"{self._root}/{name}"))
            if found["ETag"] != tag or found["ContentLength"] == len(content):  # the next writer's, or whole
                return tag
        msg = f"{name} in {shown_url(self.url)!r} is cut each time it is written; check the network"
        raise StoreError(msg)

    def _swap_in_bucket(self, name: str, content: bytes, tag: str | None) -> str:
        condition = {"IfNoneMatch": "*"} if tag is None else {"IfMatch": tag}
        try:
            return str(self._files.pipe_file(f"{self._root}/{name}", content, **condition)["ETag"])
        except OSError:
            if written := self._tag_if_written(name, content, tag):
                return written
            raise

    def _tag_if_written(self, name: str, content: bytes, tag: str | None) -> str | None:
        """Return the tag of an object that has `content` by now, as a reply may be lost; None if it is as before."""
        now = self.get_tagged(name)
        if (now.tag if now else None) == tag:
            return None
        if now and now.content == content:
            return now.tag
        msg = f"{name} in {shown_url(self.url)!r} was written by somebody else meanwhile; try again"
        raise ChangedMeanwhileError(msg)

    def _write(self, path: str, content: bytes | Path) -> None:
        temporary = f"{path}.{uuid.uuid4().hex[:8]}.tmp" if self._is_local else path
        if self._is_local:
            self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
        if isinstance(content, Path):
            self._files.put_file(str(content), temporary)
        else:
            self._files.pipe_file(temporary, content)
        size = content.stat().st_size if isinstance(content, Path) else len(content)
        if self._files.info(temporary)["size"] != size:
            msg = f"{path} was cut while it was written"
            raise OSError(msg)
        if self._is_local:
            Path(temporary).replace(path)

    def _retried(self, call: Callable[[], Result]) -> Result:
        attempts = Retrying(
            stop=stop_after_attempt(ATTEMPTS),
            wait=wait_exponential(0.1, max=self._max_wait_s),
            retry=retry_if_exception_type(OSError) & retry_if_not_exception_type((*_ABSENT, PermissionError)),
            reraise=True,
        )
        try:
            return attempts(call)
        except (*_ABSENT, StoreError):
            raise
        except Exception as error:
            text = str(error).partition("\n")[0] or type(error).__name__
            msg = f"{shown_url(self.url)!r} cannot be read or written ({text}); check the address, the keys and the network"
            raise StoreError(msg) from error


def _protocols(files: Any) -> tuple[str, ...]:
    return (files.protocol,) if isinstance(files.protocol, str) else tuple(files.protocol)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()

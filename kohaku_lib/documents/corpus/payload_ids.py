"""Cache of the document ids stated in payload files, keyed by content."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kohaku_lib.documents.formats.interface import format_of
from kohaku_lib.documents.worker.plain_files import MOST_BYTES
from kohaku_lib.documents.worker.replies import check_unchanged
from kohaku_lib.documents.worker.supervisor import parse_isolated, parse_task
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.storage import JsonMemo

_ERROR = "lasting_fault"  # of the bytes; one that may pass is never stored


class PayloadIds:
    """Document ids by the file's SHA-256, stored in the JSON file at `path`, or in memory only if it is None.

    >>> import tempfile
    >>> from kohaku_lib.digests import file_sha256
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "a.json"
    ...     _ = file.write_text('{"document_id": "wu", "text": "t"}')
    ...     PayloadIds().own_id(file, file_sha256(file))
    'wu'
    """

    def __init__(self, path: Path | None = None) -> None:
        self._memo = JsonMemo(path)

    def own_id(self, file: Path, sha256: str) -> str | None:
        """Return the id stated in `file`, None if the file or its format has none.

        A large file is read in a worker process with the parser's limits.

        Raises:
            DocumentError: The file's content does not match its suffix, or it could not be read now.

        """
        kind = format_of(file)
        if kind is None or kind.own_id is None:
            return None
        known = self._memo.get(sha256)
        if not isinstance(known, str) and not (isinstance(known, dict) and _ERROR in known):
            known = _read_here(file, sha256, kind.own_id) if _is_small(file) else _read_isolated(file, sha256)
            self._memo.set(sha256, known)
        if isinstance(known, dict):
            raise DocumentError(known[_ERROR])
        return known or None

    def save(self) -> None:
        """Store the cached ids for the next run if the file is writable."""
        self._memo.save()


def _is_small(file: Path) -> bool:
    return file.stat().st_size <= MOST_BYTES


def _read_here(file: Path, sha256: str, read: Callable[[Path], str]) -> str:
    task = {"path": str(file), "sha256": sha256}
    check_unchanged(task)
    own_id = read(file)
    check_unchanged(task)
    return own_id


def _read_isolated(file: Path, sha256: str) -> str | dict[str, str]:
    """Read the id in a worker process; an error that follows from the bytes is returned, to be kept like an id."""
    task = parse_task(file, DocumentsSettings())
    (reply,) = parse_isolated([{**task, "sha256": sha256, "own_id": True, "settings": {}}], 1)
    if "own_id" in reply:
        return str(reply["own_id"])
    if reply.get("lasting"):
        return {_ERROR: reply["error"]}
    raise DocumentError(reply["error"])

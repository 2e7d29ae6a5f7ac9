"""Cache of the document ids stated in payload files, keyed by content."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.worker.plain_files import MOST_BYTES
from kohaku_lib.documents.worker.supervisor import parse_isolated, parse_task
from kohaku_lib.errors import DocumentError
from kohaku_lib.kinds import format_of
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.storage import JsonMemo

_ERROR = "error"


class PayloadIds:
    """Document ids by the file's SHA-256, stored in the JSON file at `path`, or in memory only if it is None.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.json").write_text('{"document_id": "wu", "text": "t"}')
    ...     PayloadIds().own_id(Path(folder) / "a.json", "5ae1")
    'wu'
    """

    def __init__(self, path: Path | None = None) -> None:
        self._memo = JsonMemo(path)

    def own_id(self, file: Path, sha256: str) -> str | None:
        """Return the id stated in `file`, None if the file or its format has none.

        A large file is read in a worker process with the parser's limits.

        Raises:
            DocumentError: The file's content does not match its suffix.

        """
        kind = format_of(file)
        if kind is None or kind.own_id is None:
            return None
        known = self._memo.get(sha256)
        if not isinstance(known, str | dict):
            known = kind.own_id(file) if file.stat().st_size <= MOST_BYTES else _read_isolated(file)
            self._memo.set(sha256, known)
        if isinstance(known, dict):
            raise DocumentError(known[_ERROR])
        return known or None

    def save(self) -> None:
        """Store the cached ids for the next run if the file is writable."""
        self._memo.save()


def _read_isolated(file: Path) -> str | dict[str, str]:
    """Read the id in a worker process; an error is returned and cached too, since a retry would take as long."""
    task = parse_task(file, DocumentsSettings())
    (reply,) = parse_isolated([{**task, "own_id": True, "settings": {}}], 1)
    return reply["own_id"] if "own_id" in reply else {_ERROR: reply["error"]}

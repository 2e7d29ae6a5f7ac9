"""The ids that payload files give themselves, remembered by content, so that an unchanged file is not read."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.worker.plain_files import MOST_BYTES
from kohaku_lib.documents.worker.supervisor import parse_isolated
from kohaku_lib.errors import DocumentError
from kohaku_lib.kinds import format_of
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.storage import JsonMemo

_ERROR = "error"


class PayloadIds:
    """Own ids by the file's SHA-256, kept in the JSON file at `path`, or in this process only where that is None.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.json").write_text('{"document_id": "wu", "text": "t"}')
    ...     PayloadIds().own_id(Path(folder) / "a.json", "5ae1")
    'wu'
    """

    def __init__(self, path: Path | None = None) -> None:
        self._memo = JsonMemo(path)

    def own_id(self, file: Path, sha256: str) -> str | None:
        """Return the id that `file` gives itself, None where it or its format gives none.

        A large file is read in a process of its own, as it would be to be parsed.

        Raises:
            DocumentError: The file is not what its suffix says.

        """
        kind = format_of(file)
        if kind is None or kind.own_id is None:
            return None
        known = self._memo.get(sha256)
        if not isinstance(known, str | dict):
            known = kind.own_id(file) if file.stat().st_size <= MOST_BYTES else _isolated(file)
            self._memo.set(sha256, known)
        if isinstance(known, dict):
            raise DocumentError(known[_ERROR])
        return known or None

    def save(self) -> None:
        """Keep what was learnt for the next run, as far as it can be written."""
        self._memo.save()


def _isolated(file: Path) -> str | dict[str, str]:
    """Return the id in a file, or why there is none; that is kept too, as another attempt would take as long."""
    limits = DocumentsSettings()
    task = {
        "path": str(file),
        "own_id": True,
        "settings": {},
        "time_limit_s": limits.time_limit_s,
        "memory_limit_mb": limits.memory_limit_mb,
    }
    (reply,) = parse_isolated([task], 1)
    return reply["own_id"] if "own_id" in reply else {_ERROR: reply["error"]}

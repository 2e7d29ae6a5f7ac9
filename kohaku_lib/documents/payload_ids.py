"""The ids that payload files give themselves, remembered by content, so that an unchanged file is not read."""

from __future__ import annotations

from pathlib import Path

from kohaku_lib.documents.parse_file import load_payload_json
from kohaku_lib.documents.payloads import payload_from_json
from kohaku_lib.storage import JsonMemo


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
        """Return the id in the payload `file`, None where it has none; raises DocumentError where it is no payload."""
        known = self._memo.get(sha256)
        if not isinstance(known, str):
            known = payload_from_json(load_payload_json(file)).document_id.strip()
            self._memo.set(sha256, known)
        return known or None

    def save(self) -> None:
        """Keep what was learnt for the next run, as far as it can be written."""
        self._memo.save()

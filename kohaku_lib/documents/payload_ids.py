"""The ids that payload files give themselves, remembered by content, so that an unchanged file is not read."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from kohaku_lib.documents.parse_file import load_payload_json
from kohaku_lib.documents.payloads import payload_from_json
from kohaku_lib.storage import write_atomically


class PayloadIds:
    """Own ids by the file's SHA-256, kept in the JSON file at `path`, or in this process only where that is None.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.json").write_text('{"document_id": "wu", "text": "t"}')
    ...     PayloadIds().own_id(Path(folder) / "a.json", "5ae1")
    'wu'
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._known = _read(path) if path is not None else {}
        self._changed = False

    def own_id(self, file: Path, sha256: str) -> str | None:
        """Return the id in the payload `file`, None where it has none; raises DocumentError where it is no payload."""
        if sha256 not in self._known:
            payload = payload_from_json(load_payload_json(file))
            self._known[sha256] = payload.document_id.strip()
            self._changed = True
        return self._known[sha256] or None

    def save(self) -> None:
        """Keep what was learnt for the next run; where it cannot be written, as by a mere reader, it is let go."""
        if self._changed and self._path is not None:
            text = json.dumps(self._known)
            with suppress(OSError):
                write_atomically(self._path, lambda temporary: temporary.write_text(text, encoding="utf-8"))
            self._changed = False


def _read(path: Path) -> dict[str, str]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {key: value for key, value in content.items() if isinstance(value, str)} if isinstance(content, dict) else {}

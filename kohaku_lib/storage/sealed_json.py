"""JSON files with a digest of their content, so that damage and edits are detected."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kohaku_lib.digests import text_sha256
from kohaku_lib.storage.atomic import write_atomically

SEAL = "seal"


def write_sealed(path: Path, content: Mapping[str, Any], *, durable: bool = False) -> None:
    """Write `content` and its digest to the JSON file `path`, atomically.

    With `durable=False` a power cut may tear the file, which `read_sealed` detects.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_sealed(Path(folder, "a.json"), {"rows": 3})
    ...     read_sealed(Path(folder, "a.json"))
    {'rows': 3}
    """
    data = sealed_bytes(content)
    write_atomically(path, lambda temporary: temporary.write_bytes(data), durable=durable)


def read_sealed(path: Path) -> dict[str, Any] | None:
    """Return the content of a file by `write_sealed`; None if it is missing or altered."""
    try:
        return unsealed(path.read_bytes())
    except OSError:
        return None


def sealed_bytes(content: Mapping[str, Any]) -> bytes:
    """Return `content` and its digest as JSON."""
    return json.dumps({**content, SEAL: _content_digest(content)}, indent=1).encode()


def unsealed(data: bytes) -> dict[str, Any] | None:
    """Return the content of `sealed_bytes`; None if it is altered.

    >>> unsealed(sealed_bytes({"rows": 3})), unsealed(b"{}")
    ({'rows': 3}, None)
    """
    try:
        content = json.loads(data)
        return content if content.pop(SEAL) == _content_digest(content) else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _content_digest(content: Mapping[str, Any]) -> str:
    return text_sha256(json.dumps(content, sort_keys=True))[:32]

"""Whether the files of a backup belong together: every current output has its files, and these are intact."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kohaku_lib.storage.backups.backup_manifest import BackedUpFile
from kohaku_lib.storage.stages.stage_files import LATEST

_INDEX = f"stages/vector_tables/{LATEST}"
Content = Callable[[BackedUpFile], bytes]


def inconsistencies(files: Mapping[str, BackedUpFile], content: Content) -> list[str]:
    """Return what does not agree in `files`, as ends of sentences; `content` returns the bytes of one.

    >>> inconsistencies({}, lambda file: b"")
    ['nothing has been built in it']
    """
    records = [path for path in files if path.startswith("stages/") and path.endswith(f"/{LATEST}")]
    if not records:
        return ["nothing has been built in it"]
    published = _published(files, content)
    found = [wrong for path in records for wrong in _record_faults(path, files, content, published)]
    if published and f"snapshots/{published}/meta.json" not in files:
        found.append(f"the published index {published} is missing")
    return found


def _record_faults(
    path: str, files: Mapping[str, BackedUpFile], content: Content, published: str | None
) -> Iterator[str]:
    record = _parsed(content(files[path]))
    stem = f"{path.rpartition('/')[0]}/{record.get('input_key')}"
    table, manifest = files.get(f"{stem}.parquet"), files.get(f"{stem}.json")
    if table is None or manifest is None:
        yield f"{path} names an output whose files are missing"
        return
    described = _parsed(content(manifest))
    if (described.get("bytes"), described.get("sha256")) != (table.bytes, table.sha256):
        yield f"{stem}.parquet is not as it was written"
    index = _parsed(content(files[_INDEX])) if _INDEX in files else {}
    is_rolled_back = published is None or not str(index.get("input_key")).startswith(published)
    if record.get("stage") == "published_index" and is_rolled_back:  # its companion belongs to another version
        return
    for name, (size, sha256) in record.get("beside", {}).items():
        beside = files.get(name)
        if beside is None or (beside.bytes, beside.sha256) != (size, sha256):
            yield f"{name} is not as {path} describes it"


def _published(files: Mapping[str, BackedUpFile], content: Content) -> str | None:
    pointer = files.get("snapshots/current")
    return next(iter(content(pointer).decode("utf-8", "replace").split()), None) if pointer else None


def _parsed(content: bytes) -> dict[str, Any]:
    try:
        parsed = json.loads(content)
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}

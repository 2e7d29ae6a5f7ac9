"""The files of a corpus, their ids, and what metadata.csv knows about them."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from kohaku_lib.digests import file_sha256
from kohaku_lib.documents.identifiers import safe_document_id
from kohaku_lib.documents.metadata import MetadataTable, read_metadata
from kohaku_lib.documents.parse_file import MIME_TYPES, load_payload_json
from kohaku_lib.documents.payloads import payload_from_json
from kohaku_lib.errors import DocumentError, InputFileError
from kohaku_lib.settings import CorpusSettings
from kohaku_lib.tables import SOURCE_FILES, StageReport

READY = "ready"


def list_sources(
    corpus: CorpusSettings, hash_file: Callable[[Path], str] = file_sha256
) -> tuple[pa.Table, StageReport]:
    """Return the manifest of the documents below `corpus.documents`, sorted by path, joined with the metadata.

    A document's id is the payload's own, else the metadata id that equals the file's stem, else the stem; files
    whose stems are equal get their relative path. Hidden files are passed over, other formats reported; metadata
    rows without a file stand at the end with an empty path. Without `corpus.documents` there are no files.
    Raises InputFileError where the folder does not exist or the metadata cannot be read.
    """
    metadata = read_metadata(corpus.metadata) if corpus.metadata else MetadataTable({})
    problems = list(metadata.problems)
    files = _document_files(corpus.documents, problems) if corpus.documents else []
    candidates = [_candidate(path, corpus.documents or path, hash_file) for path in files]
    known = {unicodedata.normalize("NFC", name): name for name in metadata.rows}
    rows = _identified(candidates, known, metadata.rows)
    used = {row["metadata_id"] for row in rows}
    for name in metadata.rows:
        if name not in used:
            rows.append(_row("", safe_document_id(name), None, None, "no file", metadata.rows[name], name))
            problems.append(f"the metadata row {name!r} has no file in corpus.documents")
    problems.extend(f"{row['path']}: {row['status']}" for row in rows if row["path"] and row["status"] != READY)
    plain = [{key: row[key] for key in SOURCE_FILES.names} for row in rows]
    return pa.Table.from_pylist(plain, schema=SOURCE_FILES), StageReport(len(rows), 0, tuple(problems))


@dataclass(frozen=True, slots=True)
class _Candidate:
    path: str
    stem: str
    own_id: str | None
    sha256: str | None
    size_bytes: int | None
    status: str


def _document_files(folder: Path, problems: list[str]) -> list[Path]:
    if not folder.is_dir():
        msg = f"the folder {str(folder)!r} that corpus.documents names does not exist; create it or mend the setting"
        raise InputFileError(msg)
    files: list[Path] = []
    for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).parts):
        relative = path.relative_to(folder)
        if not path.is_file() or any(part.startswith(".") for part in relative.parts):
            continue
        if not _is_utf8(relative.as_posix()):
            problems.append(f"{relative.as_posix()!r}: the file's name is not UTF-8; rename it")
        elif path.suffix.lower() not in MIME_TYPES:
            problems.append(f"{relative.as_posix()}: not a document format")
        else:
            files.append(path)
    return files


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _candidate(path: Path, folder: Path, hash_file: Callable[[Path], str]) -> _Candidate:
    relative = path.relative_to(folder).as_posix()
    stem = unicodedata.normalize("NFC", path.stem)
    size, sha256 = None, None
    try:
        size, sha256 = path.stat().st_size, hash_file(path)
        own_id = _own_id(path) if path.suffix.lower() == ".json" else None
    except OSError as fault:
        return _Candidate(relative, stem, None, None, None, f"cannot be read ({fault.strerror or fault})")
    except DocumentError as fault:
        return _Candidate(relative, stem, None, sha256, size, str(fault))
    return _Candidate(relative, stem, own_id, sha256, size, READY)


def _own_id(path: Path) -> str | None:
    payload = payload_from_json(load_payload_json(path))
    return payload.document_id.strip() or None


def _identified(
    candidates: Iterable[_Candidate], known: Mapping[str, str], metadata: Mapping[str, Mapping[str, str]]
) -> list[dict[str, object]]:
    """Return a row per candidate; the second one with an id that is taken is not ready."""
    ordered = list(candidates)
    stems = Counter(c.stem for c in ordered if c.own_id is None and c.status == READY)
    taken: dict[str, str] = {}
    rows: list[dict[str, object]] = []
    for candidate in ordered:
        metadata_id = known.get(unicodedata.normalize("NFC", candidate.own_id or candidate.stem))
        document_id = _document_id(candidate, metadata_id, stems, taken)
        status = candidate.status
        if document_id in taken:
            status = f"the document id {document_id!r} is already that of {taken[document_id]!r}"
        elif status == READY:
            taken[document_id] = candidate.path
        facts = metadata[metadata_id] if metadata_id is not None else {}
        rows.append(
            _row(candidate.path, document_id, candidate.sha256, candidate.size_bytes, status, facts, metadata_id)
        )
    return rows


def _document_id(
    candidate: _Candidate, metadata_id: str | None, stems: Mapping[str, int], taken: Mapping[str, str]
) -> str:
    if candidate.own_id is not None:
        return safe_document_id(candidate.own_id)
    stem = safe_document_id(candidate.stem)
    is_alone = stems[candidate.stem] <= 1
    if is_alone or (metadata_id is not None and stem not in taken):
        return stem
    return safe_document_id(candidate.path)


def _row(
    path: str,
    document_id: str,
    sha256: str | None,
    size_bytes: int | None,
    status: str,
    facts: Mapping[str, str],
    metadata_id: str | None,
) -> dict[str, object]:
    return {
        "path": path,
        "document_id": document_id,
        "sha256": sha256,
        "size_bytes": size_bytes,
        "status": status,
        "metadata_json": json.dumps(facts, ensure_ascii=False),
        "metadata_id": metadata_id,
    }

"""List the source files of a corpus with their document ids and metadata."""

from __future__ import annotations

import json
import os
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from kohaku_lib.digests import file_sha256, text_sha256
from kohaku_lib.documents.attachments.attachment_lists import AttachmentLists
from kohaku_lib.documents.corpus.attached_sources import with_attached
from kohaku_lib.documents.corpus.citations import citation_text
from kohaku_lib.documents.corpus.files import CorpusFiles, KnownFile, corpus_files
from kohaku_lib.documents.corpus.metadata import MetadataTable, read_metadata
from kohaku_lib.documents.corpus.organisations import COLUMN as ORG_COLUMN
from kohaku_lib.documents.corpus.organisations import organisation_fault, organisation_of
from kohaku_lib.documents.corpus.payload_ids import PayloadIds
from kohaku_lib.documents.identifiers import file_stem, safe_document_id
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import CorpusSettings
from kohaku_lib.tables import SOURCE_FILES, StageReport

READY = "ready"
NO_FILE = "no file"


def list_sources(
    corpus: CorpusSettings,
    hash_file: Callable[[Path], str] = file_sha256,
    payload_ids: PayloadIds | None = None,
    files: CorpusFiles | None = None,
    is_upload: Callable[[str], bool] = lambda path: False,
    attachments: AttachmentLists | None = None,
) -> tuple[pa.Table, StageReport]:
    """Return the manifest of the documents below `corpus.documents`, sorted by path, joined with the metadata.

    A document's id is the id in the payload, else the metadata id equal to the file's stem, else the stem; files of one
    organisation with equal stems use their relative path. Ids of other organisations than corpus.org_id begin with the
    organisation's name, so that no file of one changes an id of another. Of files of one organisation with equal bytes
    only one is indexed, preferably one with metadata, else the first; the others are reported, and so is a file whose
    folder and metadata name two organisations. What is attached to a file, such as an e-mail, has rows of its own behind it
    (`with_attached`). Hidden files and the corpus' own CSV files are ignored; unknown formats and inaccessible folders are
    reported. Metadata rows without a file come last with an empty path, ready if
    `corpus.use_citations`. Without `corpus.documents` there are no files.

    Args:
        corpus: The corpus settings.
        hash_file: Returns the SHA-256 of a file.
        payload_ids: The cache of ids in payload files, if any.
        files: The files of the corpus if already listed.
        is_upload: Whether the file at a path has come by HTTP: it is of corpus.org_id, and no metadata row of another
            organisation is its row, whatever it calls itself.
        attachments: The cache of what is attached to files, if any.

    Raises:
        InputFileError: The folder does not exist or the metadata cannot be read.

    """
    metadata = read_metadata(corpus.metadata) if corpus.metadata else MetadataTable({})
    present = files or corpus_files(corpus)
    problems = [*metadata.problems, *(f"{path}: {reason}" for path, reason in present.skipped.items())]
    identified = _identified_files(corpus, metadata, present, hash_file, payload_ids, is_upload)
    files_alone = [_source_row(file, metadata.rows) for file in identified]
    left_out = _left_out(present, corpus.documents or Path(), hash_file)
    rows = list(with_attached(files_alone, READY, corpus, attachments or AttachmentLists(), left_out))
    used = {file.metadata_id for file in identified}
    for name, facts in metadata.rows.items():
        if name not in used:
            rows.append(_fileless_row(name, facts, corpus.use_citations))
            if not corpus.use_citations:
                problems.append(f"the metadata row {name!r} has no file in corpus.documents")
    problems.extend(f"{row['path']}: {row['status']}" for row in rows if row["path"] and row["status"] != READY)
    return pa.Table.from_pylist(rows, schema=SOURCE_FILES), StageReport(len(rows), 0, tuple(problems))


def files_by_metadata_id(
    corpus: CorpusSettings,
    metadata: MetadataTable,
    hash_file: Callable[[Path], str] = file_sha256,
    payload_ids: PayloadIds | None = None,
    is_upload: Callable[[str], bool] = lambda path: False,
) -> dict[str, Path]:
    """Return the file below `corpus.documents` of each `metadata` row that has one."""
    files = _identified_files(corpus, metadata, corpus_files(corpus), hash_file, payload_ids, is_upload)
    folder = corpus.documents or Path()
    return {file.metadata_id: folder / file.path for file in reversed(files) if file.metadata_id is not None}


@dataclass(frozen=True, slots=True)
class _Candidate:
    path: str
    stem: str
    own_id: str | None
    sha256: str | None
    size_bytes: int | None
    status: str
    org_id: str = ""
    metadata_id: str | None = None
    is_link: bool = False


@dataclass(frozen=True, slots=True)
class _IdentifiedFile:
    """A file with its document id and the id of its metadata row."""

    path: str
    document_id: str
    sha256: str | None
    size_bytes: int | None
    status: str
    metadata_id: str | None


def _identified_files(
    corpus: CorpusSettings,
    metadata: MetadataTable,
    files: CorpusFiles,
    hash_file: Callable[[Path], str],
    payload_ids: PayloadIds | None,
    is_upload: Callable[[str], bool],
) -> list[_IdentifiedFile]:
    folder, ids = corpus.documents or Path(), payload_ids or PayloadIds()
    candidates = [_read_candidate(path, folder, hash_file, ids, files.kept) for path in files.paths]
    known = {_nfc(form(name)): name for form in (file_stem, str) for name in metadata.rows}
    owned = [_owned(candidate, known, metadata, corpus, is_upload) for candidate in candidates]
    own, rows = corpus.org_id, metadata.rows.items()
    foreign_ids = {_nfc(name) for name, facts in rows if facts.get(ORG_COLUMN, own) != own}
    return list(_assign_ids(owned, _Namespaces(_nfc(own), {_nfc(one.org_id) for one in owned}, foreign_ids)))


def _owned(
    candidate: _Candidate,
    known: Mapping[str, str],
    metadata: MetadataTable,
    corpus: CorpusSettings,
    is_upload: Callable[[str], bool],
) -> _Candidate:
    """Return a candidate with its metadata row and organisation, not ready where folder and row contradict each other."""
    name = known.get(_nfc(candidate.own_id or candidate.stem))
    facts = metadata.rows[name] if name is not None else {}
    if facts.get(ORG_COLUMN, corpus.org_id) != corpus.org_id and is_upload(candidate.path):
        name, facts = None, {}
    fault = organisation_fault(candidate.path, facts, corpus)
    if fault is not None:  # whose it is is unknown, so it takes the row from no other file
        name, status = None, fault if candidate.status == READY else candidate.status
    else:
        status = candidate.status
    org_id = organisation_of(candidate.path, {} if fault else facts, corpus)
    return replace(candidate, org_id=org_id, status=status, metadata_id=name)


def _read_candidate(
    path: Path,
    folder: Path,
    hash_file: Callable[[Path], str],
    ids: PayloadIds,
    kept: Mapping[str, KnownFile],
) -> _Candidate:
    relative = path.relative_to(folder).as_posix()
    stem, known = _nfc(path.stem), kept.get(relative)
    size, sha256 = None, None
    try:
        size, sha256 = (known.size_bytes, known.sha256) if known else (path.stat().st_size, hash_file(path))
        own_id = ids.own_id(path, sha256)
    except OSError as fault:
        if known:  # its id is not cached any more
            return _Candidate(relative, stem, known.document_id, sha256, size, READY)
        return _Candidate(relative, stem, None, None, None, f"cannot be read ({fault.strerror or fault})")
    except DocumentError as fault:
        return _Candidate(relative, stem, None, sha256, size, str(fault))
    return _Candidate(relative, stem, own_id, sha256, size, READY, is_link=_is_below_link(path, folder))


@dataclass(frozen=True, slots=True)
class _Namespaces:
    """The ids of each organisation: those of `own_org_id` as they are, those of the others behind their name.

    The id of a metadata row that names its organisation is the operator's choice and stays: no file of another takes it.
    """

    own_org_id: str
    org_ids: Set[str]
    foreign_ids: Set[str]  # of metadata rows that name another organisation

    def document_id(self, candidate: _Candidate, name: str, metadata_id: str | None) -> str:
        org_id, (folder, slash, _) = _nfc(candidate.org_id), _nfc(name).partition("/")
        is_named = _nfc(name) in self.foreign_ids
        if org_id == self.own_org_id:
            is_prefixed = is_named or (bool(slash) and folder in self.org_ids - {org_id})
        else:
            is_prefixed = not (is_named and name == metadata_id) and not (slash and folder == org_id)
        return safe_document_id(f"{org_id}/{name}" if is_prefixed else name)


def _left_out(files: CorpusFiles, folder: Path, hash_file: Callable[[Path], str]) -> dict[str, str | None]:
    """Return the SHA-256 of each file that is left out; None of what is no file that can be read, but within one."""
    sha256_of: dict[str, str | None] = dict.fromkeys(files.left_out)
    for name in sha256_of:
        with suppress(OSError):
            sha256_of[name] = hash_file(folder / name)
    return sha256_of


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _assign_ids(candidates: Sequence[_Candidate], namespaces: _Namespaces) -> Iterator[_IdentifiedFile]:
    """Yield the candidates with their ids; duplicates and files whose id is already taken are not ready."""
    originals = _indexed_path_by_hash(candidates)
    original_of = {c.path: originals.get((c.org_id, str(c.sha256)), c.path) for c in candidates}
    copies = {path: original for path, original in original_of.items() if original != path}
    originals_alone = [c for c in candidates if c.status == READY and c.path not in copies]
    stems = Counter((c.org_id, c.stem) for c in originals_alone if c.own_id is None)
    taken: dict[str, str] = {}
    for candidate in candidates:
        document_id = _document_id(candidate, candidate.metadata_id, stems, taken, namespaces)
        status = candidate.status
        if candidate.path in copies:
            status = f"same content as {copies[candidate.path]!r}"
        elif status == READY and document_id in taken:
            status = _taken(candidate.path, document_id, taken[document_id])
        elif status == READY:
            taken[document_id] = candidate.path
        yield _IdentifiedFile(
            candidate.path, document_id, candidate.sha256, candidate.size_bytes, status, candidate.metadata_id
        )


def _taken(path: str, document_id: str, other: str) -> str:
    if _nfc(path) == _nfc(other):
        return f"its name is that of {other!r} in other code points; rename one of them"
    return f"the document id {document_id!r} is already that of {other!r}"


def _is_below_link(path: Path, folder: Path) -> bool:
    """Return whether a link within the folder leads to a file."""
    return os.path.realpath(path) != os.path.join(os.path.realpath(folder), path.relative_to(folder))


def _indexed_path_by_hash(candidates: Sequence[_Candidate]) -> dict[tuple[str, str], str]:
    """Return by organisation and hash the path of the indexed file among those alike; empty files are not duplicates.

    It is the one with metadata, else no link, else the one highest up with the shortest name: a copy is usually called "Copy
    of …" or lies in a folder of copies, and must not take the place of its original.
    """
    sound = [c for c in candidates if c.status == READY and c.sha256 and c.size_bytes]
    preferred = sorted(
        sound, key=lambda one: (one.metadata_id is None, one.is_link, one.path.count("/"), len(one.path))
    )
    return {(one.org_id, str(one.sha256)): one.path for one in reversed(preferred)}


def _document_id(
    candidate: _Candidate,
    metadata_id: str | None,
    stems: Mapping[tuple[str, str], int],
    taken: Mapping[str, str],
    namespaces: _Namespaces,
) -> str:
    if candidate.own_id is not None:
        return namespaces.document_id(candidate, candidate.own_id, metadata_id)
    wanted = namespaces.document_id(candidate, metadata_id or candidate.stem, metadata_id)
    is_alone = stems[candidate.org_id, candidate.stem] <= 1
    if is_alone or (metadata_id is not None and wanted not in taken):
        return wanted
    return namespaces.document_id(candidate, candidate.path, metadata_id)


def _source_row(file: _IdentifiedFile, metadata: Mapping[str, Mapping[str, str]]) -> dict[str, object]:
    facts = metadata[file.metadata_id] if file.metadata_id is not None else {}
    return {
        "path": file.path,
        "document_id": file.document_id,
        "sha256": file.sha256,
        "size_bytes": file.size_bytes,
        "status": file.status,
        "metadata_json": json.dumps(facts, ensure_ascii=False),
    }


def _fileless_row(name: str, facts: Mapping[str, str], use_citations: bool) -> dict[str, object]:
    """Return the row of a document without a file; if its citation is indexed, hash and size are the citation's."""
    text = citation_text(name, facts)
    return {
        "path": "",
        "document_id": safe_document_id(name),
        "sha256": text_sha256(text) if use_citations else None,
        "size_bytes": len(text.encode()) if use_citations else None,
        "status": READY if use_citations else NO_FILE,
        "metadata_json": json.dumps(facts, ensure_ascii=False),
    }

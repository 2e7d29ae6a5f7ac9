"""What a store knows of a document that is to be erased: files, contents and texts, also of earlier states."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kohaku_assets.pipeline.project import Project
from kohaku_lib.digests import text_sha256
from kohaku_lib.documents.corpus.organisations import is_shared
from kohaku_lib.documents.identifiers import is_attached_to, safe_document_id
from kohaku_lib.embedding import headed_texts
from kohaku_lib.storage import read_sealed, write_sealed
from kohaku_lib.storage.erasure.traces import Traces, strings_of

IMAGE_KEY, WINDOWS_KEY = ".image", ".windows"  # suffixes of keys in the caches of vectors


@dataclass(frozen=True, slots=True)
class KnownDocument:
    """A document and what is attached to it: their ids, the paths that they were read from, and the SHA-256 of their contents.

    `holders` are the paths of what the document itself is attached to.
    """

    ids: frozenset[str]
    paths: frozenset[str]
    sha256s: frozenset[str]
    holders: frozenset[str]


def known_document(project: Project, document_id: str) -> KnownDocument | None:
    """Return what is known of a document of the project's organisation; None if there is none."""
    begun: dict[str, list[str]] = {key: [] for key in ("ids", "paths", "sha256s")}  # earlier versions noted no ids
    begun |= read_sealed(_record_path(project, document_id)) or {}
    own, cached = list(_own_rows(project)), list(_cached_rows(project))
    paths = {*begun["paths"], *(row["path"] for row in own if row["document_id"] == document_id)} - {""}
    ids = {document_id, *begun["ids"], *_former_ids(project, own, paths)}
    others = {safe_document_id(row["path"]) for row in own_sources(project) if row["path"] and row["path"] not in paths}
    # What is attached has the path of its file in its id; in earlier versions it had the id of that file.
    holders = (ids - others).union(map(safe_document_id, paths))
    known = [row for row in own if row["document_id"] in ids or _is_attached(row["document_id"], holders)]
    remains = [row for row in cached if row["document_id"] in ids or _is_attached(row["document_id"], holders)]
    is_own = bool(known) or (bool(remains) and not is_shared(project.settings.corpus))
    if not is_own and not _record_path(project, document_id).exists():
        return None
    rows, sha256s = known + remains, set[str](begun["sha256s"])
    return KnownDocument(
        frozenset(ids.union(row["document_id"] for row in rows)),
        frozenset(filter(None, paths.union(row["path"] for row in known))),
        frozenset(filter(None, sha256s.union(row["sha256"] for row in rows))),
        frozenset(
            row["path"]
            for row in own
            if row["path"] and _is_attached(document_id, {row["document_id"], safe_document_id(row["path"])})
        ),
    )


def _former_ids(project: Project, own: Sequence[Mapping[str, Any]], paths: Set[str]) -> Iterator[str]:
    """Yield the ids that the files at `paths` have had, but those that are other files' by now."""
    path_of_id = {row["document_id"]: row["path"] for row in own_sources(project)}
    for row in own:
        if row["path"] in paths and path_of_id.get(row["document_id"], row["path"]) in paths:
            yield row["document_id"]


def _is_attached(document_id: str, holders: Set[str]) -> bool:
    return any(is_attached_to(document_id, one) for one in holders)


def _own_rows(project: Project) -> Iterator[dict[str, Any]]:
    """Yield id, path and hash of the organisation's documents in any state, and of its sources as they are now."""
    columns = ["document_id", "path", "sha256"]
    own = pc.field("org_id") == project.settings.corpus.org_id
    for path in _tables(project, "documents"):
        yield from _read(path, columns, own)
    yield from own_sources(project, own=True)


def _cached_rows(project: Project) -> Iterator[dict[str, Any]]:
    """Yield id and hash of what was parsed once, also of earlier attachments, which nothing else may name any more."""
    for part in _cached_parts(project):
        yield from _read(part, ["document_id", "sha256"])


def own_sources(project: Project, *, own: bool = False) -> list[dict[str, Any]]:
    """Return the source rows as the files are now: of the project's organisation, or all."""
    from kohaku_lib.documents.corpus.organisations import organisation_of

    corpus = project.settings.corpus
    rows = Project(project.loaded, known_only=True).user_files.sources[0].to_pylist()
    if not own:
        return rows
    return [
        row for row in rows if organisation_of(row["path"], json.loads(row["metadata_json"]), corpus) == corpus.org_id
    ]


def begin_record(project: Project, document_id: str, known: KnownDocument) -> None:
    """Note durably that the document is being erased, so that an erasure that was killed can be repeated."""
    content = {"ids": sorted(known.ids), "paths": sorted(known.paths), "sha256s": sorted(known.sha256s)}
    write_sealed(_record_path(project, document_id), content, durable=True)


def end_record(project: Project, document_id: str) -> None:
    """Forget that the document was being erased."""
    _record_path(project, document_id).unlink(missing_ok=True)


def traces_of(project: Project, known: KnownDocument) -> Traces:
    """Return the traces of the document: what it says in any state, and no document that stays says."""
    stays = frozenset(row["document_id"] for row in own_sources(project)) - known.ids
    own: set[str] = set()
    others: set[str] = set()
    for row in _document_rows(project):
        texts = set(_texts_of(row))
        if row["document_id"] in known.ids or (row["sha256"] in known.sha256s and row["document_id"] not in stays):
            own |= texts
        elif row["document_id"] in stays:
            others |= texts
    for stage, names in (("tree_nodes", ("title", "text")), ("image_captions", ("text",))):
        for path in _tables(project, stage):
            for row in _read(path, ["document_id", *names]):
                if row["document_id"] in known.ids or row["document_id"] in stays:
                    chosen = own if row["document_id"] in known.ids else others
                    chosen.update(row[name] for name in names if row[name])
    return Traces(known.ids, own, others)


def cache_keys(project: Project, ids: frozenset[str]) -> frozenset[str]:
    """Return the keys of the documents' texts and images in the caches of vectors, but those that other documents share."""
    own, others = set[str](), set[str]()
    for stage in ("tree_nodes", "image_captions"):
        for path in _tables(project, stage):
            for found, text in _embedded_texts(path, stage):
                key = text_sha256(text)
                (own if found in ids else others).update((key, key + WINDOWS_KEY))
    for path in _tables(project, "document_images"):
        for row in _read(path, ["document_id", "sha256"]):
            (own if row["document_id"] in ids else others).add(row["sha256"] + IMAGE_KEY)
    return frozenset(own - others)


def _embedded_texts(path: Path, stage: str) -> Iterator[tuple[str, str]]:
    """Yield the document and the text of each row, and the text behind its headings."""
    names = ["document_id", "text", *(["kind", "title"] if stage == "tree_nodes" else [])]
    rows = list(_read(path, names))
    yield from ((row["document_id"], row["text"]) for row in rows)
    if stage == "tree_nodes" and rows:
        nodes = pa.Table.from_pylist(rows)
        yield from zip((row["document_id"] for row in rows), headed_texts(nodes), strict=True)


def questions_from(project: Project, ids: frozenset[str]) -> frozenset[str]:
    """Return the ids of the questions of any run that got passages of the documents."""
    found = set()
    for path in _tables(project, "retrieved_context"):
        for row in _read(path, ["id", "snippets"]):
            if any(snippet["document_id"] in ids for snippet in row["snippets"] or ()):
                found.add(row["id"])
    return frozenset(found)


def _document_rows(project: Project) -> Iterator[dict[str, Any]]:
    columns = ["document_id", "sha256", "title", "payload_json", "metadata_json"]
    for path in (*_tables(project, "documents"), *_cached_parts(project)):
        yield from _read(path, columns)


def _cached_parts(project: Project) -> list[Path]:
    return sorted((project.paths.cache / "documents").rglob("part-*.parquet"))


def _read(path: Path, columns: list[str], chosen: pc.Expression | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file; none of a damaged one."""
    with suppress(OSError, KeyError, pa.ArrowException):
        yield from pq.read_table(path, columns=columns, filters=chosen).to_pylist()


def _texts_of(row: dict[str, Any]) -> Iterator[str]:
    yield row["title"]
    for name in ("payload_json", "metadata_json"):
        if row[name]:
            yield from strings_of(json.loads(row[name]))


def _tables(project: Project, stage: str) -> list[Path]:
    return sorted((project.paths.stages / stage).glob("*.parquet"))


def _record_path(project: Project, document_id: str) -> Path:
    name = text_sha256(f"{project.settings.corpus.org_id}\n{document_id}")[:16]
    return project.paths.erasing / f"{name}.json"

"""Erases a document: its file if it was uploaded, and everything that the store has of it, in whatever state it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pyarrow import feather

from kohaku_assets.operations.erasing.history import erase_history, unreached_history
from kohaku_assets.operations.erasing.known_document import (
    KnownDocument,
    begin_record,
    cache_keys,
    end_record,
    known_document,
    own_sources,
    questions_from,
    traces_of,
)
from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.stage_inputs import index_version
from kohaku_assets.records.backups import open_backups
from kohaku_assets.records.project_lock import project_lock
from kohaku_assets.records.sql_views import write_sql_views
from kohaku_assets.records.usage_tables import assistant_database
from kohaku_lib.composition import overlaid
from kohaku_lib.documents.corpus.registry import READY
from kohaku_lib.errors import InputFileError, KohakuError, StoreError
from kohaku_lib.index import current_version, pinned, publish
from kohaku_lib.index.snapshots.snapshot_files import CURRENT, PARTIAL_PREFIX
from kohaku_lib.llm.batches.records import BatchRecords
from kohaku_lib.llm.ledger.erasing import erase_calls, is_call_about, replies_about
from kohaku_lib.masking import shown_url
from kohaku_lib.storage.backups.backup_manifest import backup_ids
from kohaku_lib.storage.erasure.tables import erase_cached, erase_csv_rows, erase_lines, erase_rows, is_held_or_damaged
from kohaku_lib.storage.erasure.traces import Traces
from kohaku_lib.storage.interrupted_restore import remove_remains
from kohaku_lib.storage.own_files import other_files, own_files, remove_own_files
from kohaku_lib.storage.store_paths import StorePaths
from kohaku_lib.storage.use import sole_use

INDEX = "vector_tables"
_TEXT_BYTES = 2**28  # a larger file is none of ours
_APART = ("stages", "cache", "llm_calls", "snapshots", "trash", "erasing")
_KEPT = ("removals.json", "format.json", ".bucket.json")  # of names and numbers
_TEXT = (".json", ".md", ".html", ".txt", ".log")


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased, a sentence per place; `remaining` says what the verb cannot reach."""

    places: tuple[str, ...]
    remaining: tuple[str, ...]


def erase_document(project: Project, document_id: str) -> Erased:
    """Erase a document of the project's organisation, with what is attached to it; one that was killed is ended by another.

    The index is built anew without it and published. Other documents keep their caches and paid replies.

    Raises:
        InputFileError: There is no such document, its file is the user's and still there, or it is within another file.
        StoreError: A server has the store open, another run writes to it, replies of a batch are awaited, or the index
            that has the document is pinned or cannot be built anew.
    """
    with project_lock(project), sole_use(project.store):
        known = known_document(project, document_id)
        if known is None:
            msg = (
                f"there is no document {document_id!r} of {project.settings.corpus.org_id!r}, nor was there one; "
                "'kohaku documents' lists the ids"
            )
            raise InputFileError(msg)
        _check(project, document_id, known)
        out_of_reach = known.paths & Project(project.loaded, known_only=True).user_files.files.kept.keys()
        begin_record(project, document_id, known)
        places = [f"uploads: {name}" for name in _destroyed(project, known)]
        fresh = Project(project.loaded)  # which lists the files anew
        kept = fresh.user_files.files.kept  # while there is the list that tells of them
        _publish_without(fresh, known)
        traces = traces_of(fresh, known)
        places += list(_erased_places(fresh, traces))
        if kept:
            refresh(fresh, ["source_files"])
        remove_remains(project.store)
        end_record(project, document_id)
        write_sql_views(fresh)
        remaining = [
            *_kept_files(out_of_reach),
            *_remaining(project, document_id),
            *_quoting_files(project.store, traces),
        ]
    return Erased(tuple(places), tuple(remaining))


def _check(project: Project, document_id: str, known: KnownDocument) -> None:
    """Refuse what would leave the document somewhere."""
    documents = project.settings.corpus.documents
    own = [path for path in sorted(known.paths) if documents and (documents / path).exists()]
    of_user = [path for path in own if not project.removals.is_upload(path)]
    if of_user:
        msg = (
            f"{of_user[0]!r} is a file of yours, and Kohaku destroys none that it did not put there; delete it from "
            f"{str(documents)!r}, then run 'kohaku documents --erase {document_id}' again"
        )
        raise InputFileError(msg)
    others = [path for path in sorted(known.holders) if documents and (documents / path).is_file()]
    if others:
        msg = (
            f"{document_id!r} is attached to {others[0]!r} and cannot be erased alone; erase the document of that file"
        )
        raise InputFileError(msg)
    if any(row["document_id"] == document_id and _is_citation(row) for row in own_sources(project, own=True)):
        msg = (
            f"{str(project.settings.corpus.metadata)!r} still describes {document_id!r}, and its citation is indexed; "
            "delete the row, then erase again"
        )
        raise InputFileError(msg)
    if any(record.is_open for record in BatchRecords(project.paths.llm_batches).all()):
        msg = "replies of a batch are awaited, which may quote the document; collect or cancel it by 'kohaku batches' first"
        raise StoreError(msg)
    current = current_version(project.snapshots)
    if pinned(project.snapshots) and current and _has_document(project.snapshots / current, known.ids):
        msg = f"the index version {current} has {document_id!r} and is pinned; run 'kohaku snapshots --unpin', then erase again"
        raise StoreError(msg)


def _is_citation(row: Mapping[str, Any]) -> bool:
    return row["status"] == READY and not row["path"]


def _destroyed(project: Project, known: KnownDocument) -> list[str]:
    if project.settings.corpus.documents is None:
        return []
    from kohaku_lib.documents.corpus.organisations import organisation_of

    corpus = project.settings.corpus
    return project.removals.destroy(
        known.paths, known.sha256s, lambda path: organisation_of(path, {}, corpus) == corpus.org_id
    )


def _publish_without(project: Project, known: KnownDocument) -> None:
    """Build the index anew without the document and publish it, unless the published one lacks it already."""
    current = current_version(project.snapshots)
    if current is None or not _has_document(project.snapshots / current, known.ids):
        return
    if not any(row["status"] == READY for row in own_sources(project)):  # it was the last one
        (project.snapshots / CURRENT).unlink(missing_ok=True)
        remove_own_files(project.store, project.snapshots)
        return
    settings = overlaid(project.settings, {"backup.after_refresh": False})  # a backup now would still hold it
    report = refresh(project.with_settings(settings), [INDEX])
    record = project.files.latest(INDEX)
    if report.failure is not None or record is None:
        msg = f"the index could not be built anew ({report.failure}); correct that and erase again, which goes on from here"
        raise StoreError(msg)
    publish(project.snapshots, index_version(record.input_key))


def _erased_places(project: Project, traces: Traces) -> Iterator[str]:
    """Erase the document place by place; what its traces are read from goes last, so that a kill leaves them to be read."""
    store = project.store
    keys = cache_keys(project, traces.document_ids)
    questions = questions_from(project, traces.document_ids) | _questions_of_assistant(project, traces)
    about = partial(is_call_about, traces=traces, questions=frozenset(questions))
    ledger = [path for path in own_files(store, project.paths.llm_calls) if path.suffix == ".jsonl"]
    traces.add_texts(replies_about(ledger, about))
    removed = [
        path
        for path in project.snapshots.glob("*/")
        if path.name.startswith(PARTIAL_PREFIX)
        or _has_document(path, traces.document_ids)  # the former are left by killed runs
    ]
    yield from _told("index versions", sum(remove_own_files(store, path) > 0 for path in removed))
    yield from _told("messages, answers and remarks", _erased_messages(project, traces))
    yield from _told("Dagster's history", erase_history(project, traces))
    yield from _told("other files, or rows of them", _erased_files(project, traces))
    yield from _told("cached rows", _erased_cache(store, traces, keys, is_last=False))
    yield from _told("replies of chat models", erase_calls(ledger, about))
    yield from _told("outputs of steps", _erased_stages(project, traces))
    yield from _told("parsed contents", _erased_cache(store, traces, keys, is_last=True))


def _told(place: str, number: int) -> Iterator[str]:
    if number:
        yield f"{place}: {number}"


def _has_document(snapshot: Path, ids: frozenset[str]) -> bool:
    """Return whether an index version has one of the documents; a damaged one may."""
    try:
        found = feather.read_table(snapshot / "documents.arrow", columns=["document_id"]).column(0)
    except (OSError, ValueError):
        return True
    return not ids.isdisjoint(found.to_pylist())


def _questions_of_assistant(project: Project, traces: Traces) -> set[str]:
    from kohaku_lib.conversation.memory.erasing import questions_about

    with assistant_database(project) as engine:
        return set() if engine is None else questions_about(engine, project.settings.corpus.org_id, traces)


def _erased_messages(project: Project, traces: Traces) -> int:
    from kohaku_lib.conversation.memory.erasing import erase_conversations

    with assistant_database(project) as engine:
        return 0 if engine is None else erase_conversations(engine, project.settings.corpus.org_id, traces)


def _erased_files(project: Project, traces: Traces) -> int:
    """Erase the document from everything that is neither an output, a cache, the ledger, an index nor a database."""
    store, paths = project.store, project.paths
    needed = {"attachments.json"} if project.user_files.files.kept else set()  # what is out of reach is not read again
    number = remove_own_files(store, paths.damaged)  # what cannot be read cannot be searched
    for path in own_files(store):
        is_memo = path.suffix == ".json" and path.is_relative_to(paths.cache) and path.name not in needed
        if path.suffix == ".tmp" or is_memo:  # left by killed runs, found again
            path.unlink()
        elif path.relative_to(store).parts[0] in _APART:
            continue
        elif path.suffix == ".parquet":
            number += erase_rows(path, traces)
        elif path.suffix == ".jsonl":
            number += erase_lines(path, traces)
        elif path.suffix == ".csv":
            number += erase_csv_rows(path, traces)
        elif _is_text(path) and traces.is_quoted(path.read_text(encoding="utf-8", errors="replace")):
            path.unlink()
            number += 1
    return number


def _is_text(path: Path) -> bool:
    return path.suffix in _TEXT and path.name not in _KEPT and path.stat().st_size < _TEXT_BYTES


def _erased_stages(project: Project, traces: Traces) -> int:
    """Delete the outputs that hold the document; those that the texts of documents are read from go last."""
    tables = [path for path in own_files(project.store, project.paths.stages) if path.suffix == ".parquet"]
    paths = sorted(tables, key=lambda path: path.parent.name == "documents")
    held = [path for path in paths if is_held_or_damaged(path, traces)]
    for path in held:
        path.unlink()
        path.with_suffix(".json").unlink(missing_ok=True)
    return len(held)


def _erased_cache(store: Path, traces: Traces, keys: frozenset[str], *, is_last: bool) -> int:
    return sum(
        erase_cached(part, traces, keys)
        for part in own_files(store, StorePaths(store).cache)
        if part.suffix == ".parquet" and ("documents" in part.relative_to(store).parts[1:2]) == is_last
    )


def _quoting_files(store: Path, traces: Traces) -> Iterator[str]:
    """Name the files in the store that are none of Kohaku's and quote the document."""
    names = [path.relative_to(store).as_posix() for path in other_files(store) if _quotes(path, traces)]
    if names:
        yield f"other files in the store that quote it: {', '.join(names)}; they are yours, so delete them yourself"


def _quotes(path: Path, traces: Traces) -> bool:
    if not path.is_file() or path.stat().st_size >= _TEXT_BYTES:
        return False
    if path.suffix == ".parquet":
        return is_held_or_damaged(path, traces)
    return traces.is_held(path.read_text(encoding="utf-8", errors="replace"))


def _kept_files(paths: Set[str]) -> Iterator[str]:
    if paths:
        names = ", ".join(map(repr, sorted(paths)))
        yield f"its file {names} is out of reach now; delete it there, or it is read again once it is back"


def _remaining(project: Project, document_id: str) -> Iterator[str]:
    """Say where the document may remain that nothing here can change."""
    yield from unreached_history(project)
    again = "delete them, and back up anew"
    url = project.settings.backup.url
    if url is not None:
        try:
            ids = backup_ids(open_backups(project))
        except KohakuError as error:
            yield f"the backups in {shown_url(url)!r} could not be looked at ({error})"
        else:
            if ids:
                yield f"{len(ids)} backups in {shown_url(url)!r} may hold it and are not rewritten; {again}"
    if project.settings.bucket.url is not None:
        place = repr(shown_url(project.settings.bucket.url))
        yield (
            f"earlier states in {place} and the stores of other machines may hold it; replies of chat models that such a store "
            "has come back with its next upload, so delete these stores, which are fetched anew"
        )
    for path in (
        project.settings.corpus.accepted_questions,
        project.settings.corpus.questions,
        project.settings.corpus.metadata,
    ):
        if path is not None and path.is_file() and document_id in path.read_text(encoding="utf-8", errors="replace"):
            yield f"{str(path)!r} is a file of yours and names it"

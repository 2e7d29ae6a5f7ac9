"""Fetches documents from the network, and reports the state of each document. Imports no Dagster."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from kohaku_assets.records.project_lock import project_lock
from kohaku_lib.errors import InputFileError

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project
    from kohaku_assets.pipeline.user_files import UserFiles
    from kohaku_lib.documents import DocumentState, FetchLedger, FetchOutcome
    from kohaku_lib.settings import CorpusSettings

_GRAVEST_FIRST = ("failed", "needs_ocr", "pending", "no_file", "left_out")


def fetch(
    project: Project, force: bool, limit: int, on_outcome: Callable[[FetchOutcome], object]
) -> tuple[list[FetchOutcome], tuple[str, ...]]:
    """Fetch the urls in corpus.metadata into corpus.documents; return the outcomes and the problems with its rows."""
    from kohaku_lib.documents import FetchPlan, fetch_documents, files_by_metadata_id, http_client, read_metadata

    corpus, settings = project.settings.corpus, project.settings.fetch
    if corpus.metadata is None or corpus.documents is None:
        missing = "corpus.metadata" if corpus.metadata is None else "corpus.documents"
        msg = f"{missing} is not set; 'kohaku fetch' reads the urls of corpus.metadata and writes to corpus.documents"
        raise InputFileError(msg)
    metadata = read_metadata(corpus.metadata)
    corpus.documents.mkdir(parents=True, exist_ok=True)
    with project_lock(project), http_client(settings) as client:
        files = project.user_files
        present = files_by_metadata_id(corpus, metadata, files.sha256, files.payload_ids, files.is_upload)
        plan = FetchPlan(metadata.rows, present, corpus.documents, force, limit)
        outcomes = fetch_documents(plan, client, fetch_ledger(project), settings, on_outcome=on_outcome)
    return outcomes, metadata.problems


def fetch_ledger(project: Project) -> FetchLedger:
    """Return the project's ledger of fetched files."""
    from kohaku_lib.documents import FetchLedger

    return FetchLedger(project.paths.fetched)


def states(project: Project, org_id: str | None = None) -> list[DocumentState]:
    """Return the state of every file and metadata row, or of those of one organisation, after the last parsing and fetching.

    No file is parsed for it: what is attached to a new one is not listed yet.
    """
    from kohaku_lib.documents.attachments.attachment_lists import NOT_LISTED_YET

    found = _states(project, replace(project, known_only=True).user_files, org_id)
    return [state for state in found if state.reason != NOT_LISTED_YET]


def unread_states(project: Project) -> list[DocumentState]:
    """Return the state of every file and metadata row that cannot be asked after a refresh; what failed comes first.

    A folder that is away is none of them, as what was read of it stays in the index.
    """
    files = project.user_files
    found = [state for state in _states(project, files) if state.status != "parsed"]
    unread = [state for state in found if f"{state.path}: {state.reason}" not in files.warnings]
    return sorted(unread, key=lambda state: (_GRAVEST_FIRST.index(state.status), state.document_id is None))


def _states(project: Project, files: UserFiles, org_id: str | None = None) -> list[DocumentState]:
    import pyarrow as pa

    from kohaku_lib.documents import document_states, safe_document_id
    from kohaku_lib.documents.corpus.document_states import COLUMNS
    from kohaku_lib.documents.corpus.organisations import is_shared

    record = project.present("documents")
    is_there = record is not None and project.files.is_intact(record)
    reader = project.files.open("documents", record.input_key) if record and is_there else None
    documents = reader.select([name for name in COLUMNS if name in reader.columns]).table() if reader else None
    entries = {safe_document_id(name): entry for name, entry in fetch_ledger(project).entries.items()}
    sources, skipped = files.sources[0], files.files.skipped
    if org_id is not None:
        is_own = partial(_is_of, project.settings.corpus, org_id)
        kept = [is_own(row["path"], row["metadata_json"]) for row in sources.to_pylist()]
        facts_of = {row["path"]: row["metadata_json"] for row in sources.to_pylist()}
        # Whose a file is that no metadata row is looked up for, only its folder tells.
        is_told = project.settings.corpus.org_folders or not is_shared(project.settings.corpus)
        holder_by_path = {path: _holder_of(project.settings.corpus, path) for path in skipped}
        skipped = {
            path: skipped[path]
            for path, holder in holder_by_path.items()
            if (is_told or holder in facts_of) and is_own(holder, facts_of.get(holder, "{}"))
        }
        sources = sources.filter(pa.array(kept, pa.bool_()))  # an empty list has no type of its own
    return document_states(sources, documents, entries, skipped)


def _holder_of(corpus: CorpusSettings, path: str) -> str:
    """Return the path of the file that one is attached to, itself where it is attached to none."""
    from kohaku_lib.documents.attachments.file_within import holder_of

    folder = corpus.documents
    return holder_of(folder / path).relative_to(folder).as_posix() if folder is not None else path


def _is_of(corpus: CorpusSettings, org_id: str, path: str, metadata_json: str) -> bool:
    from kohaku_lib.documents.corpus.organisations import organisation_of

    return organisation_of(path, json.loads(metadata_json), corpus) == org_id

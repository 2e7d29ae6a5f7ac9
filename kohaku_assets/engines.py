"""The working parts that assets and verbs share, made from a project's settings: index, retriever, chat, answerer."""

from __future__ import annotations

from kohaku_assets.project import Inputs, Project, index_version
from kohaku_lib.answering import Answerer, build_answerer
from kohaku_lib.errors import StoreError
from kohaku_lib.index import Snapshot, current_version, list_snapshots, open_snapshot
from kohaku_lib.llm import CallLedger, ChatModel, build_chat
from kohaku_lib.retrieval import Retriever


def open_index(project: Project, inputs: Inputs) -> Snapshot:
    """Open the snapshot that a stage's vector_tables stands for."""
    return open_snapshot(project.snapshots, inputs["vector_tables"]["index_version"][0].as_py())


def open_own_index(project: Project) -> Snapshot:
    """Open the snapshot that belongs to the project's settings and files; StoreError where it is missing or stale."""
    status = project.statuses(["vector_tables"])[-1]
    record = project.files.latest("vector_tables")
    if status.status != "fresh" or record is None:
        why = "; ".join(status.causes)
        msg = f"the index of these settings is {status.status} ({why}); run 'kohaku refresh vector_tables' first"
        raise StoreError(msg)
    return open_snapshot(project.snapshots, index_version(record.input_key))


def open_published_index(project: Project) -> Snapshot:
    """Open the published snapshot, else the newest; StoreError where there is none."""
    version = current_version(project.snapshots)
    if version is None:
        newest = list_snapshots(project.snapshots)
        if not newest:
            msg = f"there is no index in {str(project.store)!r} yet; run 'kohaku refresh' first"
            raise StoreError(msg)
        version = newest[0].version
    return open_snapshot(project.snapshots, version)


def make_retriever(project: Project, snapshot: Snapshot) -> Retriever:
    """Return a retriever over `snapshot` that embeds queries with the model the snapshot was built with."""
    return Retriever(snapshot, project.settings.retrieval, _query_embedder(project.settings, snapshot))


def make_chat(project: Project) -> ChatModel | None:
    """Return the chat model of the settings, each call recorded in the store's ledger; None where none is needed."""
    return build_chat(project.settings.llm, CallLedger(project.store / "llm_calls"))


def make_answerer(project: Project) -> Answerer:
    """Return the answerer of the settings."""
    return build_answerer(project.settings, make_chat(project))

"""The working parts that assets and verbs share, made from a project's settings: index, retriever, chat, answerer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa

from kohaku_assets.keys_file import load_keys
from kohaku_assets.project import Project
from kohaku_assets.refining import make_refiner
from kohaku_assets.stage_inputs import Inputs, index_version
from kohaku_assets.stages import graph_extractor
from kohaku_lib.answering import (
    Answerer,
    AnswerTools,
    answer_on_actors,
    answer_questions,
    build_answerer,
    document_metadata,
)
from kohaku_lib.answering.figures import read_images
from kohaku_lib.documents import OcrDescriber, VisionDescriber
from kohaku_lib.documents.ocr import open_engine
from kohaku_lib.embedding import embed_queries
from kohaku_lib.errors import StoreError
from kohaku_lib.index import (
    SearchFilter,
    Snapshot,
    current_version,
    list_snapshots,
    open_snapshot,
    pointer_damage,
    tenant_documents,
)
from kohaku_lib.index.graph import ChatExtractor, GraphPrompt
from kohaku_lib.llm import CallLedger, ChatModel, ChatRequest, DryChat, Surroundings, build_chat
from kohaku_lib.retrieval import TRACED, PlannerChat, Retriever
from kohaku_lib.settings import LlmSettings, LoadedSettings, Settings
from kohaku_lib.storage import RowCache
from kohaku_lib.tables import StageReport

PLAN_TOKENS = 512


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
    """Open the published snapshot, else the newest; StoreError where there is none, or its nodes are damaged."""
    while True:
        version = _published_version(project)
        try:
            return open_snapshot(project.snapshots, version)
        except StoreError:
            if _published_version(project) == version:  # else another took its place, and it may be gone
                raise


def _published_version(project: Project) -> str:
    folder = project.snapshots
    version, damage = current_version(folder), pointer_damage(folder)
    if version is not None:
        return version
    if damage is None and (project.files.latest("published_index") is not None):
        damage = f"{folder.name}/current is missing"
    if damage is not None and current_version(folder) is None:  # nobody has published meanwhile
        msg = f"which index is published is not known: {damage}; run 'kohaku doctor'"
        raise StoreError(msg)
    newest = list_snapshots(folder)
    if not newest:
        msg = f"there is no index in {str(project.store)!r} yet; run 'kohaku refresh' first"
        raise StoreError(msg)
    return newest[0].version


def own_documents(project: Project, snapshot: Snapshot) -> dict[str, dict[str, Any]]:
    """Return what an answer says of the documents that it cites, by id; those of other tenants can be cited by nobody."""
    return document_metadata(tenant_documents(snapshot, project.settings.corpus.org_id))


def make_retriever(
    project: Project, snapshot: Snapshot, where: SearchFilter | None = None, explained: int = TRACED
) -> Retriever:
    """Return a retriever over `snapshot` that embeds queries with the model the snapshot was built with.

    Only nodes of the tenant corpus.org_id are ever found, whatever else `where` asks for. The trace tells the ranks
    of the first `explained` nodes.
    """
    own = replace(where or SearchFilter(), org_id=project.settings.corpus.org_id)
    meta = snapshot.meta
    built_with = {"model": meta["model"], "task": meta["embedding_task"], "dim": meta["dim"]}
    embedding = project.settings.embedding.model_copy(update=built_with)
    refiner = make_refiner(project, partial(make_chat, project))
    embed = partial(embed_queries, settings=embedding)
    return Retriever(snapshot, project.settings.retrieval, embed, where=own, refiner=refiner, explained=explained)


def make_chat(project: Project) -> ChatModel | None:
    """Return the chat model of the settings, each call recorded in the store's ledger; None where none is needed."""
    return _ledgered_chat(project, project.settings.llm)


def make_describer(project: Project) -> VisionDescriber | None:
    """Return what describes figures by a vision model, each call in the ledger; None where the page alone speaks."""
    settings = project.settings
    if settings.images.captions != "vision":
        return None
    llm = settings.llm.model_copy(update={"max_concurrent": settings.images.caption_concurrent})
    chat = _ledgered_chat(project, llm)
    return VisionDescriber(chat, settings.images.caption_model or llm.model, settings.images) if chat else None


def make_extractor(project: Project, cache: RowCache) -> ChatExtractor | None:
    """Return what reads paragraphs for entities, each call in the ledger; None where the rules alone find them."""
    settings = project.settings
    if graph_extractor(settings) != "chat":
        return None
    llm = settings.llm.model_copy(update={"max_concurrent": settings.graph.max_concurrent})
    chat, prompt = _ledgered_chat(project, llm), GraphPrompt(settings.graph.model or llm.model, settings.graph)
    return ChatExtractor(chat, prompt, cache, settings.graph.max_concurrent) if chat else None


def make_image_reader(project: Project) -> OcrDescriber | None:
    """Return what reads the words within figures; None where there is no OCR engine."""
    engine = open_engine(project.settings.documents)
    return OcrDescriber(engine, project.settings.documents) if engine is not None else None


def make_answerer(project: Project, snapshot: Snapshot | None = None, chat: ChatModel | None = None) -> Answerer:
    """Return the answerer of the settings, by `chat` where one is given; it may show the figures of `snapshot`."""
    read = partial(read_images, snapshot) if snapshot is not None else None
    return build_answerer(project.settings, chat or make_chat(project), read)


def answer_all(
    project: Project, snapshot: Snapshot, questions: pa.Table, contexts: pa.Table
) -> tuple[pa.Table, StageReport]:
    """Return the predictions (PREDICTIONS) for `questions`, by this process or by Ray actors as engine.kind says.

    For a single answer no cluster is asked. Questions whose search lost a channel fail.
    """
    if project.settings.engine.kind == "ray" and questions.num_rows * project.settings.ensemble.runs > 1:
        make = partial(make_answer_tools, project.loaded, snapshot.version)
        return answer_on_actors(questions, contexts, project.settings, make, project.on_progress)
    documents = own_documents(project, snapshot)
    retriever, answerer = make_retriever(project, snapshot), make_answerer(project, snapshot)
    return answer_questions(questions, contexts, retriever, project.settings, answerer, documents, project.on_progress)


def make_answer_tools(loaded: LoadedSettings, version: str, settings: Settings) -> AnswerTools:
    """Return what answers over the snapshot `version` of the store, by `settings` in place of the loaded ones."""
    project = Project(replace(loaded, settings=settings))
    load_keys(project.home)
    snapshot = open_snapshot(project.snapshots, version)
    return answer_tools(project, snapshot)


def answer_tools(project: Project, snapshot: Snapshot, chat: ChatModel | None = None) -> AnswerTools:
    """Return what answers over `snapshot`, by `chat` where one is given."""
    documents = own_documents(project, snapshot)
    return AnswerTools(make_answerer(project, snapshot, chat), make_retriever(project, snapshot), documents)


def make_planner(project: Project) -> PlannerChat | None:
    """Return the chat that plans queries, None where they are planned by rule."""
    settings = project.settings
    chat = make_chat(project) if settings.planner.kind != "rule" else None
    if chat is None:
        return None

    def plan(system: str, user: str, question_id: str) -> str:
        request = ChatRequest(
            model=settings.planner.model or settings.llm.model,
            system=system,
            user=user,
            temperature=0.0,
            max_tokens=PLAN_TOKENS,
            seed=0,
            run=0,
            stage="query_plans",
            question_id=question_id,
        )
        return chat.complete(request).text

    return plan


def _ledgered_chat(project: Project, llm: LlmSettings) -> ChatModel | None:
    around = Surroundings(needs_key=not project.is_dry)
    chat = build_chat(llm, CallLedger(project.store / "llm_calls"), around, project.spending)
    if chat is None or not project.is_dry:
        return chat
    project.dry_chats.append(DryChat(chat))
    return project.dry_chats[-1]

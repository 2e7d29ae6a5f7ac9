"""The answerer of the settings, and the tools that answer over an index snapshot."""

from __future__ import annotations

from functools import partial
from typing import Any

from kohaku_assets.components.chat_models import make_chat
from kohaku_assets.components.keys_file import load_keys
from kohaku_assets.components.retrievers import make_retriever
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_lib.answering import Answerer, AnswerTools, build_answerer, document_metadata
from kohaku_lib.answering.figures import read_images
from kohaku_lib.index import Snapshot, open_snapshot, tenant_documents
from kohaku_lib.llm import ChatModel
from kohaku_lib.settings import LoadedSettings, Settings


def make_answerer(run: Run, snapshot: Snapshot | None = None, chat: ChatModel | None = None) -> Answerer:
    """Return the answerer of the settings, by `chat` if given; it may show the figures of `snapshot`."""
    read = partial(read_images, snapshot) if snapshot is not None else None
    return build_answerer(run.settings, chat or make_chat(run), read)


def answer_tools(run: Run, snapshot: Snapshot, chat: ChatModel | None = None) -> AnswerTools:
    """Return what answers over `snapshot`, by `chat` if given."""
    documents = own_documents(run.project, snapshot)
    return AnswerTools(make_answerer(run, snapshot, chat), make_retriever(run, snapshot), documents)


def make_answer_tools(loaded: LoadedSettings, version: str, settings: Settings) -> AnswerTools:
    """Return what answers over the snapshot `version` of the store, by `settings` in place of the loaded ones.

    Its arguments travel to other processes.
    """
    project = Project(loaded).with_settings(settings)
    load_keys(project.home)
    return answer_tools(Run(project), open_snapshot(project.snapshots, version))


def own_documents(project: Project, snapshot: Snapshot) -> dict[str, dict[str, Any]]:
    """Return what an answer states of the documents that it cites, by id; other tenants' documents are left out."""
    return document_metadata(tenant_documents(snapshot, project.settings.corpus.org_id))

"""The answerer of the settings, and the tools that answer over an index snapshot."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from kohaku_lib.answering import Answerer, AnswerTools, build_answerer, document_metadata
from kohaku_lib.answering.figures import read_images
from kohaku_lib.index import Snapshot, open_snapshot, tenant_documents
from kohaku_lib.llm import ChatModel
from kohaku_lib.service.chat_models import make_chat
from kohaku_lib.service.keys_file import load_keys
from kohaku_lib.service.retrievers import make_retriever
from kohaku_lib.service.session import Session
from kohaku_lib.settings import Settings


def make_answerer(session: Session, snapshot: Snapshot | None = None, chat: ChatModel | None = None) -> Answerer:
    """Return the answerer of the settings, by `chat` if given; it may show the figures of `snapshot`."""
    read = partial(read_images, snapshot) if snapshot is not None else None
    return build_answerer(session.settings, chat or make_chat(session), read)


def answer_tools(session: Session, snapshot: Snapshot, chat: ChatModel | None = None) -> AnswerTools:
    """Return what answers over `snapshot`, by `chat` if given."""
    documents = own_documents(session, snapshot)
    return AnswerTools(make_answerer(session, snapshot, chat), make_retriever(session, snapshot), documents)


def make_answer_tools(home: Path | None, version: str, settings: Settings) -> AnswerTools:
    """Return what answers over the snapshot `version` of the store; the file .env in `home` may hold keys.

    Its arguments travel to other processes.
    """
    if home is not None:
        load_keys(home)
    session = Session(settings)
    return answer_tools(session, open_snapshot(session.snapshots, version))


def own_documents(session: Session, snapshot: Snapshot) -> dict[str, dict[str, Any]]:
    """Return what an answer states of the documents that it cites, by id; other tenants' documents are left out."""
    return document_metadata(tenant_documents(snapshot, session.settings.corpus.org_id))

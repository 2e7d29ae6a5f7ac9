"""The answerer of the settings, and all that is needed to answer over an index snapshot."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from kohaku_lib.answering import Answerer, AnswerTools, build_answerer, document_metadata
from kohaku_lib.answering.figures import read_images
from kohaku_lib.index import Snapshot, open_snapshot, tenant_documents
from kohaku_lib.llm import ChatModel
from kohaku_lib.service.chat_models import make_chat, make_replanner
from kohaku_lib.service.keys_file import load_keys
from kohaku_lib.service.retrievers import make_retriever
from kohaku_lib.service.session import Session
from kohaku_lib.settings import Settings


def make_answerer(session: Session, snapshot: Snapshot | None = None, chat: ChatModel | None = None) -> Answerer:
    """Return the answerer of the settings, by `chat` if given; it may show the figures of `snapshot`."""
    read = partial(read_images, snapshot) if snapshot is not None else None
    return build_answerer(session.settings, chat or make_chat(session), read)


def answer_tools(session: Session, snapshot: Snapshot, chat: ChatModel | None = None) -> AnswerTools:
    """Return the answerer, retriever and citable documents for `snapshot`; `chat` replaces the chat model of the settings."""
    documents = own_documents(session, snapshot)
    answerer, retriever = make_answerer(session, snapshot, chat), make_retriever(session, snapshot)
    return AnswerTools(answerer, retriever, documents, make_replanner(session))


def make_answer_tools(home: Path | None, version: str, settings: Settings) -> AnswerTools:
    """Return the `answer_tools` of the snapshot `version` in the store; the file .env in `home` may contain keys.

    The arguments can be pickled, so that other processes can call it.
    """
    if home is not None:
        load_keys(home)
    session = Session(settings)
    return answer_tools(session, open_snapshot(session.snapshots, version))


def own_documents(session: Session, snapshot: Snapshot) -> dict[str, dict[str, Any]]:
    """Return the metadata of the documents that an answer may cite, by id, without those of other tenants."""
    return document_metadata(tenant_documents(snapshot, session.settings.corpus.org_id))

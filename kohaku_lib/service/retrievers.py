"""The retriever over an index snapshot."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from kohaku_lib.embedding import embed_queries
from kohaku_lib.index import SearchFilter, Snapshot
from kohaku_lib.retrieval import TRACED, Retriever
from kohaku_lib.service.chat_models import make_chat
from kohaku_lib.service.refining import make_refiner
from kohaku_lib.service.session import Session


def make_retriever(
    session: Session, snapshot: Snapshot, where: SearchFilter | None = None, explained: int = TRACED
) -> Retriever:
    """Return a retriever over `snapshot` that embeds queries with the model the snapshot was built with.

    Only nodes of the tenant corpus.org_id are ever found, whatever else `where` allows. The trace holds the ranks of
    the first `explained` nodes.
    """
    settings = session.settings
    own = replace(where or SearchFilter(), org_id=settings.corpus.org_id)
    meta = snapshot.meta
    built_with = {"model": meta["model"], "task": meta["embedding_task"], "dim": meta["dim"]}
    embed = partial(embed_queries, settings=settings.embedding.model_copy(update=built_with))
    refiner = make_refiner(session, partial(make_chat, session))
    return Retriever(snapshot, settings.retrieval, embed, where=own, refiner=refiner, explained=explained)

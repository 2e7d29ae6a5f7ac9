"""The retriever over an index snapshot, and what refines its rankings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from kohaku_lib.embedding import embed_queries, embed_tokens
from kohaku_lib.index import SearchFilter, Snapshot
from kohaku_lib.llm import ChatModel, Environment, plain_chat
from kohaku_lib.project.chat_models import make_chat
from kohaku_lib.project.session import Session
from kohaku_lib.retrieval import TRACED, RefineDependencies, Retriever
from kohaku_lib.retrieval.refine.score_thresholds import conformal_threshold
from kohaku_lib.retrieval.rerank import (
    RERANK_CACHE_SCHEMA,
    RerankDependencies,
    asks_chat,
    build_rerankers,
    read_calibration,
)
from kohaku_lib.retrieval.retriever import EmbedQueries
from kohaku_lib.settings import EmbeddingSettings


def make_retriever(
    session: Session,
    snapshot: Snapshot,
    where: SearchFilter | None = None,
    explained: int = TRACED,
    embed: EmbedQueries | None = None,
) -> Retriever:
    """Return a retriever over `snapshot` that embeds queries with the model the snapshot was built with.

    Only nodes of the tenant corpus.org_id are ever found, whatever else `where` allows. The trace holds the ranks of
    the first `explained` nodes. `embed` replaces `query_embedder`.
    """
    settings = session.settings
    own = replace(where or SearchFilter(), org_id=settings.corpus.org_id)
    tokens = partial(embed_tokens, settings=_embedding_of(session, snapshot))
    embed = embed or query_embedder(session, snapshot)
    dependencies = make_refine_dependencies(session, partial(make_chat, session))
    return Retriever(
        snapshot,
        settings.retrieval,
        embed,
        where=own,
        refine_dependencies=dependencies,
        explained=explained,
        embed_tokens=tokens,
    )


def query_embedder(session: Session, snapshot: Snapshot) -> EmbedQueries:
    """Return the function that embeds queries (n texts → n rows of length 1) as the texts of `snapshot` were."""
    return partial(embed_queries, settings=_embedding_of(session, snapshot))


def _embedding_of(session: Session, snapshot: Snapshot) -> EmbeddingSettings:
    """Return the settings of embedding by which the texts of `snapshot` were embedded."""
    meta = snapshot.meta
    built_with = {"model": meta["model"], "task": meta["embedding_task"], "dim": meta["dim"]}
    return session.settings.embedding.model_copy(update=built_with)


def make_refine_dependencies(session: Session, make_chat: Callable[[], ChatModel | None]) -> RefineDependencies:
    """Return what refinement depends on by the settings; the chat model is created only if a step calls it.

    Raises:
        ModelError: A key is missing.
        InputFileError: The calibration cannot be read.
    """
    settings, rerank = session.settings, session.settings.rerank
    chat = make_chat() if asks_chat(rerank, has_chat=True) else None
    dependencies = RerankDependencies(
        chat=chat,
        chat_model=(rerank.chat_model or settings.llm.model) if chat else "",
        cache=session.row_cache("rerank", RERANK_CACHE_SCHEMA) if rerank.kind != "off" else None,
        device=settings.embedding.device,
        environment=Environment(needs_key=not session.is_dry),
        embedding=settings.embedding,
    )
    calibration = read_calibration(rerank.conformal) if rerank.conformal else {}
    return RefineDependencies(
        rerank,
        build_rerankers(rerank, dependencies),
        plain_chat(chat, settings.llm, "verify", model=rerank.chat_model) if chat else None,
        {name: conformal_threshold(scores, rerank.conformal_error) for name, scores in calibration.items()},
    )

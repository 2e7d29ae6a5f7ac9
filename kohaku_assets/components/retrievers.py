"""The retriever over an index snapshot."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from kohaku_assets.components.chat_models import make_chat
from kohaku_assets.components.refining import make_refiner
from kohaku_assets.pipeline.run import Run
from kohaku_lib.embedding import embed_queries
from kohaku_lib.index import SearchFilter, Snapshot
from kohaku_lib.retrieval import TRACED, Retriever


def make_retriever(
    run: Run, snapshot: Snapshot, where: SearchFilter | None = None, explained: int = TRACED
) -> Retriever:
    """Return a retriever over `snapshot` that embeds queries with the model the snapshot was built with.

    Only nodes of the tenant corpus.org_id are ever found, whatever else `where` allows. The trace holds the ranks of
    the first `explained` nodes.
    """
    settings = run.settings
    own = replace(where or SearchFilter(), org_id=settings.corpus.org_id)
    meta = snapshot.meta
    built_with = {"model": meta["model"], "task": meta["embedding_task"], "dim": meta["dim"]}
    embed = partial(embed_queries, settings=settings.embedding.model_copy(update=built_with))
    refiner = make_refiner(run, partial(make_chat, run))
    return Retriever(snapshot, settings.retrieval, embed, where=own, refiner=refiner, explained=explained)

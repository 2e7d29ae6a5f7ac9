"""Steps of the optional engines of retrieval; none runs in a refresh while its engine is off."""

from __future__ import annotations

from functools import partial
from typing import Any

from kohaku_assets.components.index_models import make_summariser, vector_cache
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_inputs import Inputs, StageOutput
from kohaku_lib.embedding import embed_leaf_tokens, embed_texts
from kohaku_lib.index.lightrag import THEME_COLUMNS, find_themes
from kohaku_lib.index.raptor import RAPTOR_COLUMNS, summarise_nodes, summary_leaves
from kohaku_lib.settings import Settings
from kohaku_lib.storage import map_documents
from kohaku_lib.tables import (
    SUMMARY_LEAVES,
    TOKEN_VECTORS,
    StageReport,
    empty_table,
    summaries_schema,
    themes_schema,
)

NO_VECTORS = 1  # dimensions of a table without rows
TOKEN_ROWS_AT_ONCE = 2**12  # nodes, whose token vectors are in memory together


def raptor_summaries(run: Run, inputs: Inputs) -> StageOutput:
    """RAPTOR's tree of summaries above the paragraphs, by central sentences or a chat model; empty while it is off."""
    if not run.settings.raptor.enabled:  # run by hand from the UI
        return empty_table(summaries_schema(NO_VECTORS)), StageReport(0)
    nodes, vectors = inputs.open("tree_nodes", RAPTOR_COLUMNS).table(), inputs["node_embeddings"]
    summariser = make_summariser(run.session, "raptor", "raptor_summaries")
    with vector_cache(run.session) as cache:
        embed = partial(embed_texts, settings=run.settings.embedding, cache=cache)
        return summarise_nodes(nodes, vectors, run.settings.raptor, summariser, embed)


def raptor_leaves(run: Run, inputs: Inputs) -> StageOutput:
    """The lineage of RAPTOR's summaries: the paragraphs below each, through all levels; empty while it is off."""
    if not run.settings.raptor.enabled:
        return empty_table(SUMMARY_LEAVES), StageReport(0)
    return summary_leaves(inputs["raptor_summaries"])


def token_vectors(run: Run, inputs: Inputs) -> StageOutput:
    """Vectors of the tokens of the leaves, for late interaction, in one byte a dimension; empty while it is off."""
    if not run.settings.late.enabled:
        return empty_table(TOKEN_VECTORS), StageReport(0)
    nodes = inputs.open("tree_nodes", ["node_id", "parent_row", "searchable", "text"])
    embed = partial(embed_leaf_tokens, settings=run.settings.embedding)
    return map_documents(embed, [nodes], inputs.previous, TOKEN_ROWS_AT_ONCE)


def lightrag_themes(run: Run, inputs: Inputs) -> StageOutput:
    """LightRAG's high level: the themes of relations and communities of the knowledge graph; empty while it is off."""
    if not run.settings.lightrag.enabled:
        return empty_table(themes_schema(NO_VECTORS)), StageReport(0)
    nodes, vectors = inputs.open("tree_nodes", THEME_COLUMNS).table(), inputs["node_embeddings"]
    summariser = make_summariser(run.session, "lightrag", "lightrag_themes")
    with vector_cache(run.session) as cache:
        embed = partial(embed_texts, settings=run.settings.embedding, cache=cache)
        mentions = inputs["knowledge_graph"]
        return find_themes(nodes, vectors, mentions, run.settings.lightrag, summariser, embed)


def engine_tables(settings: Settings, inputs: Inputs) -> dict[str, Any]:
    """Return the tables of the engines that are on, as arguments of IndexTables."""
    tables: dict[str, Any] = {}
    if settings.raptor.enabled:
        tables |= {"summaries": inputs["raptor_summaries"], "summary_leaves": inputs["raptor_leaves"]}
    if settings.late.enabled:
        tables |= {"tokens": inputs.open("token_vectors")}
    if settings.lightrag.enabled:
        tables |= {"themes": inputs["lightrag_themes"]}
    return tables

"""Steps of the group index: from parsed documents to an index snapshot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from kohaku_assets.components.index_models import make_extractor, make_summariser
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_inputs import Inputs, StageOutput, index_version
from kohaku_assets.pipeline.step import Step
from kohaku_lib.embedding import (
    EMBEDDING_CACHE_SCHEMA,
    ActorEncoder,
    embed_images,
    embed_leaf_tokens,
    embed_leaves,
    embed_paragraphs,
    embed_stage,
    embed_texts,
    embedded_leaves,
    embedded_paragraphs,
    model_key,
    propagate,
)
from kohaku_lib.embedding.cached import Progress
from kohaku_lib.index import IndexTables, build_lexical, extract_mentions, write_snapshot
from kohaku_lib.index.graph import GRAPH_COLUMNS, GRAPH_ROW_CACHE_SCHEMA, with_first_names
from kohaku_lib.index.lightrag import THEME_COLUMNS, find_themes
from kohaku_lib.index.raptor import RAPTOR_COLUMNS, summarise_nodes, summary_leaves
from kohaku_lib.settings import Settings
from kohaku_lib.storage import RowCache, StagePart, map_documents
from kohaku_lib.tables import StageReport
from kohaku_lib.tree import tree_parts

DOCUMENTS_AT_ONCE = 8
TOKEN_ROWS_AT_ONCE = 2**12  # nodes, whose token vectors are in memory together


def tree_nodes(run: Run, inputs: Inputs) -> StageOutput:
    """The four-level tree: document, section, paragraph, sentence; a parent comes before its children."""
    documents = inputs.open("documents").batches(DOCUMENTS_AT_ONCE)
    return tree_parts(documents, inputs["image_captions"], run.settings.tree, inputs.previous)


def lexical_index(run: Run, inputs: Inputs) -> StageOutput:
    """The BM25 tokens of every searchable node."""
    nodes = inputs.open("tree_nodes", ["node_id", "document_id", "kind", "searchable", "text", "metadata_json"])
    return map_documents(partial(build_lexical, settings=run.settings.lexical), [nodes], inputs.previous)


def knowledge_graph(run: Run, inputs: Inputs) -> Iterator[StagePart]:
    """Entities, their mentions and the statements about them, extracted by rules and optionally a chat model."""
    with run.session.row_cache("knowledge_graph", GRAPH_ROW_CACHE_SCHEMA) as cache:
        find = partial(extract_mentions, settings=run.settings.graph, extractor=make_extractor(run.session, cache))
        nodes = inputs.open("tree_nodes", GRAPH_COLUMNS)
        yield from with_first_names(map_documents(find, [nodes], inputs.previous))


def sentence_embeddings(run: Run, inputs: Inputs) -> StageOutput:
    """Direct vectors of the leaves; only texts that are not cached are sent to the model."""
    return _embed_nodes(run, inputs, embed_leaves, embedded_leaves)


def paragraph_embeddings(run: Run, inputs: Inputs) -> StageOutput:
    """Direct vectors of whole paragraphs if embedding.paragraph_mode is 'full' or 'both', else empty."""
    return _embed_nodes(run, inputs, embed_paragraphs, embedded_paragraphs)


def node_embeddings(run: Run, inputs: Inputs) -> StageOutput:
    """Vectors of all nodes: those of leaves are direct, those of parents the normalised mean of their children."""
    nodes = inputs.open("tree_nodes", ["node_id", "parent_row", "text", "token_count"])
    vectors = map(inputs.open, ("sentence_embeddings", "paragraph_embeddings"))
    return map_documents(partial(propagate, settings=run.settings.embedding), [nodes, *vectors], inputs.previous)


def raptor_summaries(run: Run, inputs: Inputs) -> StageOutput:
    """RAPTOR's tree of summaries above the paragraphs, by central sentences or a chat model."""
    nodes, vectors = inputs.open("tree_nodes", RAPTOR_COLUMNS).table(), inputs["node_embeddings"]
    summariser = make_summariser(run.session, "raptor", "raptor_summaries")
    with _vector_cache(run) as cache:
        embed = partial(embed_texts, settings=run.settings.embedding, cache=cache)
        return summarise_nodes(nodes, vectors, run.settings.raptor, summariser, embed)


def raptor_leaves(_run: Run, inputs: Inputs) -> StageOutput:
    """The lineage of RAPTOR's summaries: the paragraphs below each, through all levels."""
    return summary_leaves(inputs["raptor_summaries"])


def token_vectors(run: Run, inputs: Inputs) -> StageOutput:
    """Vectors of the tokens of the leaves, for late interaction, in one byte a dimension."""
    nodes = inputs.open("tree_nodes", ["node_id", "parent_row", "searchable", "text"])
    embed = partial(embed_leaf_tokens, settings=run.settings.embedding)
    return map_documents(embed, [nodes], inputs.previous, TOKEN_ROWS_AT_ONCE)


def lightrag_themes(run: Run, inputs: Inputs) -> StageOutput:
    """LightRAG's high level: the themes of the relations and communities of the knowledge graph."""
    nodes, vectors = inputs.open("tree_nodes", THEME_COLUMNS).table(), inputs["node_embeddings"]
    summariser = make_summariser(run.session, "lightrag", "lightrag_themes")
    with _vector_cache(run) as cache:
        embed = partial(embed_texts, settings=run.settings.embedding, cache=cache)
        mentions = inputs["knowledge_graph"]
        return find_themes(nodes, vectors, mentions, run.settings.lightrag, summariser, embed)


def image_embeddings(run: Run, inputs: Inputs) -> StageOutput:
    """Vectors of the images in the text embedding space: of their captions or, if set, of the images themselves."""
    with _vector_cache(run) as cache:
        return embed_images(inputs["document_images"], inputs["image_captions"], run.settings.embedding, cache)


def vector_tables(run: Run, inputs: Inputs) -> StageOutput:
    """The immutable index snapshot: DuckDB tables, memory-mapped vectors and the lexical index."""
    tables = IndexTables(
        documents=inputs.open("documents"),
        nodes=inputs.open("tree_nodes"),
        node_vectors=inputs.open("node_embeddings"),
        paragraph_vectors=inputs.open("paragraph_embeddings"),
        lexical=inputs.open("lexical_index"),
        mentions=inputs.open("knowledge_graph"),
        images=inputs.open("document_images"),
        image_vectors=inputs.open("image_embeddings"),
        **_engine_tables(run.settings, inputs),
    )
    anew = "vector_tables" in run.force or not _has_snapshot(run, inputs.input_key)  # else the folder is reused
    version, embedder = index_version(inputs.input_key), model_key(run.settings.embedding)
    return write_snapshot(run.project.snapshots, version, tables, run.settings, model_key=embedder, anew=anew)


def _engine_tables(settings: Settings, inputs: Inputs) -> dict[str, Any]:
    """Return the tables of the engines that are on, as arguments of IndexTables."""
    tables: dict[str, Any] = {}
    if settings.raptor.enabled:
        tables |= {"summaries": inputs["raptor_summaries"], "summary_leaves": inputs["raptor_leaves"]}
    if settings.late.enabled:
        tables |= {"tokens": inputs.open("token_vectors")}
    if settings.lightrag.enabled:
        tables |= {"themes": inputs["lightrag_themes"]}
    return tables


def _has_snapshot(run: Run, input_key: str) -> bool:
    return run.project.has_snapshot(input_key)


def _vector_cache(run: Run) -> RowCache:
    return run.session.row_cache(f"embeddings/{model_key(run.settings.embedding)}", EMBEDDING_CACHE_SCHEMA)


def _embed_nodes(
    run: Run,
    inputs: Inputs,
    embed: Callable[..., tuple[pa.Table, StageReport]],
    choose_nodes: Callable[[pa.Table], np.ndarray],
) -> Iterator[StagePart]:
    """Yield the vectors that `embed` computes for the nodes that `choose_nodes` selects."""
    settings = run.settings
    nodes = inputs.open("tree_nodes", ["node_id", "parent_row", "searchable", "kind", "text"])
    encoder = ActorEncoder(settings.embedding, settings.engine.workers) if settings.engine.kind == "ray" else None
    with _vector_cache(run) as cache:

        def embed_window(window: pa.Table, progress: Progress) -> tuple[pa.Table, StageReport]:
            return embed(window, settings.embedding, cache, progress, encoder)

        yield from embed_stage(nodes, choose_nodes, embed_window, inputs.previous, run.on_progress)


INDEX = (
    Step("tree_nodes", tree_nodes),
    Step("lexical_index", lexical_index),
    Step("knowledge_graph", knowledge_graph),
    Step("sentence_embeddings", sentence_embeddings, kinds=("python", "huggingface")),
    Step("paragraph_embeddings", paragraph_embeddings, kinds=("python", "huggingface")),
    Step("node_embeddings", node_embeddings, kinds=("python", "numpy")),
    Step("raptor_summaries", raptor_summaries, kinds=("python", "huggingface")),
    Step("raptor_leaves", raptor_leaves),
    Step("token_vectors", token_vectors, kinds=("python", "huggingface")),
    Step("lightrag_themes", lightrag_themes, kinds=("python", "huggingface")),
    Step("image_embeddings", image_embeddings, kinds=("python", "huggingface")),
    Step("vector_tables", vector_tables, kinds=("python", "duckdb"), intact=_has_snapshot),
)

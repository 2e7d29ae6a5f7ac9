"""Steps of the group index: from parsed documents to an index snapshot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pyarrow as pa

from kohaku_assets.components.index_models import make_extractor, vector_cache
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_inputs import Inputs, StageOutput, index_version
from kohaku_assets.steps.engines import engine_tables
from kohaku_lib.embedding import (
    ActorEncoder,
    embed_images,
    embed_leaves,
    embed_paragraphs,
    embed_stage,
    embedded_leaves,
    embedded_paragraphs,
    model_key,
    propagate,
)
from kohaku_lib.embedding.cached import Progress
from kohaku_lib.index import IndexTables, build_lexical, extract_mentions, write_snapshot
from kohaku_lib.index.graph import GRAPH_COLUMNS, GRAPH_ROW_CACHE_SCHEMA, with_first_names
from kohaku_lib.storage import StagePart, map_documents
from kohaku_lib.tables import StageReport
from kohaku_lib.tree import tree_parts

DOCUMENTS_AT_ONCE = 8


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


def image_embeddings(run: Run, inputs: Inputs) -> StageOutput:
    """Vectors of the images in the text embedding space: of their captions or, if set, of the images themselves."""
    with vector_cache(run.session) as cache:
        return embed_images(inputs["document_images"], inputs["image_captions"], run.settings.embedding, cache)


def vector_tables(run: Run, inputs: Inputs) -> StageOutput:
    """The immutable index snapshot: DuckDB tables with the vectors, a memory-mapped copy of these, and the lexical index."""
    tables = IndexTables(
        documents=inputs.open("documents"),
        nodes=inputs.open("tree_nodes"),
        node_vectors=inputs.open("node_embeddings"),
        paragraph_vectors=inputs.open("paragraph_embeddings"),
        lexical=inputs.open("lexical_index"),
        mentions=inputs.open("knowledge_graph"),
        images=inputs.open("document_images"),
        image_vectors=inputs.open("image_embeddings"),
        **engine_tables(run.settings, inputs),
    )
    anew = "vector_tables" in run.force or not has_snapshot(run, inputs.input_key)  # else the folder is reused
    version, embedder = index_version(inputs.input_key), model_key(run.settings.embedding)
    return write_snapshot(run.project.snapshots, version, tables, run.settings, model_key=embedder, anew=anew)


def has_snapshot(run: Run, input_key: str) -> bool:
    """Return whether the index snapshot of an input key is there and intact."""
    return run.project.has_snapshot(input_key)


def _embed_nodes(
    run: Run,
    inputs: Inputs,
    embed: Callable[..., tuple[pa.Table, StageReport]],
    choose_nodes: Callable[[pa.Table], np.ndarray],
) -> Iterator[StagePart]:
    """Yield the vectors that `embed` computes for the nodes that `choose_nodes` selects."""
    settings = run.settings
    nodes = inputs.open("tree_nodes", ["node_id", "document_id", "parent_row", "searchable", "kind", "title", "text"])
    encoder = ActorEncoder(settings.embedding, settings.parallel.workers) if settings.parallel.kind == "ray" else None
    with vector_cache(run.session) as cache:

        def embed_window(window: pa.Table, progress: Progress) -> tuple[pa.Table, StageReport]:
            return embed(window, settings.embedding, cache, progress, encoder)

        yield from embed_stage(nodes, choose_nodes, embed_window, inputs.previous, run.on_progress)

"""Assets of the group index: from parsed documents to an index snapshot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import dagster as dg
import numpy as np
import pyarrow as pa

from kohaku_assets.engines import make_extractor
from kohaku_assets.resources import AssetMaker
from kohaku_assets.stage_inputs import Inputs, StageOutput, index_version
from kohaku_lib.embedding import (
    EMBEDDING_CACHE_SCHEMA,
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
from kohaku_lib.storage import RowCache, StagePart, map_pieces
from kohaku_lib.tables import StageReport
from kohaku_lib.tree import tree_parts

DOCUMENTS_AT_ONCE = 8


def index_assets(make: AssetMaker) -> list[dg.AssetsDefinition]:
    """Return the assets of the group, bound to the project of `make`."""
    return [*_tree_assets(make), *_vector_assets(make), _snapshot_asset(make)]


def _tree_assets(make: AssetMaker) -> list[dg.AssetsDefinition]:
    settings = make.settings

    @make.asset("tree_nodes")
    def tree_nodes(inputs: Inputs) -> StageOutput:
        """The four-level tree: document, section, paragraph, sentence; a parent stands before its children."""
        documents = inputs.open("documents").batches(DOCUMENTS_AT_ONCE)
        return tree_parts(documents, inputs["image_captions"], settings.tree, inputs.donor)

    @make.asset("lexical_index")
    def lexical_index(inputs: Inputs) -> StageOutput:
        """Tokens of every searchable node, as BM25 sees them."""
        nodes = inputs.open("tree_nodes", ["node_id", "document_id", "kind", "searchable", "text", "metadata_json"])
        return map_pieces(partial(build_lexical, settings=settings.lexical), [nodes], inputs.donor)

    @make.asset("knowledge_graph")
    def knowledge_graph(inputs: Inputs) -> Iterator[StagePart]:
        """Entities, where they are mentioned and what texts state of them, found by rule or also by a chat model."""
        with make.project.row_cache("knowledge_graph", GRAPH_ROW_CACHE_SCHEMA) as cache:
            find = partial(extract_mentions, settings=settings.graph, extractor=make_extractor(make.project, cache))
            nodes = inputs.open("tree_nodes", GRAPH_COLUMNS)
            yield from with_first_names(map_pieces(find, [nodes], inputs.donor))

    return [tree_nodes, lexical_index, knowledge_graph]


def _vector_assets(make: AssetMaker) -> list[dg.AssetsDefinition]:
    project, settings = make.project, make.settings

    def vectors() -> RowCache:
        return project.row_cache(f"embeddings/{model_key(settings.embedding)}", EMBEDDING_CACHE_SCHEMA)

    def embedded(
        embed: Callable[..., tuple[pa.Table, StageReport]], chosen: Callable[[pa.Table], np.ndarray], inputs: Inputs
    ) -> Iterator[StagePart]:
        nodes = inputs.open("tree_nodes", ["node_id", "parent_row", "searchable", "kind", "text"])
        encoder = ActorEncoder(settings.embedding, settings.engine.workers) if settings.engine.kind == "ray" else None
        with vectors() as cache:

            def run(window: pa.Table, progress: Progress) -> tuple[pa.Table, StageReport]:
                return embed(window, settings.embedding, cache, progress, encoder)

            yield from embed_stage(nodes, chosen, run, inputs.donor, project.on_progress)

    @make.asset("sentence_embeddings", kinds={"python", "huggingface"})
    def sentence_embeddings(inputs: Inputs) -> StageOutput:
        """Vectors of the leaves, embedded directly; only texts never seen before cost a model call."""
        return embedded(embed_leaves, embedded_leaves, inputs)

    @make.asset("paragraph_embeddings", kinds={"python", "huggingface"})
    def paragraph_embeddings(inputs: Inputs) -> StageOutput:
        """Direct vectors of whole paragraphs, where embedding.paragraph_mode is 'full' or 'both'; else empty."""
        return embedded(embed_paragraphs, embedded_paragraphs, inputs)

    @make.asset("node_embeddings", kinds={"python", "numpy"})
    def node_embeddings(inputs: Inputs) -> StageOutput:
        """Vectors of all nodes: leaves as embedded, parents as the normalised mean of their children."""
        nodes = inputs.open("tree_nodes", ["node_id", "parent_row", "text", "token_count"])
        stages = ("sentence_embeddings", "paragraph_embeddings")
        mean = partial(propagate, settings=settings.embedding)
        return map_pieces(mean, [nodes, *map(inputs.open, stages)], inputs.donor)

    @make.asset("image_embeddings", kinds={"python", "huggingface"})
    def image_embeddings(inputs: Inputs) -> StageOutput:
        """Vectors of the images in the space of the texts: of their captions, or where asked of themselves."""
        with vectors() as cache:
            return embed_images(inputs["document_images"], inputs["image_captions"], settings.embedding, cache)

    return [sentence_embeddings, paragraph_embeddings, node_embeddings, image_embeddings]


def _snapshot_asset(make: AssetMaker) -> dg.AssetsDefinition:
    project, settings = make.project, make.settings

    @make.asset("vector_tables", kinds={"python", "duckdb"}, intact=project.has_snapshot)
    def vector_tables(inputs: Inputs) -> StageOutput:
        """The index snapshot: DuckDB tables, memory-mapped vectors and the lexical index, never written again."""
        tables = IndexTables(
            documents=inputs.open("documents"),
            nodes=inputs.open("tree_nodes"),
            node_vectors=inputs.open("node_embeddings"),
            paragraph_vectors=inputs.open("paragraph_embeddings"),
            lexical=inputs.open("lexical_index"),
            mentions=inputs.open("knowledge_graph"),
            images=inputs.open("document_images"),
            image_vectors=inputs.open("image_embeddings"),
        )
        anew = project.needs_snapshot(inputs.input_key)
        version, embedder = index_version(inputs.input_key), model_key(settings.embedding)
        return write_snapshot(project.snapshots, version, tables, settings, model_key=embedder, anew=anew)

    return vector_tables

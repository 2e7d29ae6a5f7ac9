"""Assets of the group index: from parsed documents to an index snapshot."""

from __future__ import annotations

import dagster as dg

from kohaku_assets.project import Inputs, StageOutput, index_version
from kohaku_assets.resources import AssetMaker
from kohaku_lib.embedding import (
    EMBEDDING_CACHE_SCHEMA,
    embed_images,
    embed_leaves,
    embed_paragraphs,
    model_key,
    propagate,
)
from kohaku_lib.index import IndexTables, build_lexical, extract_mentions, write_snapshot
from kohaku_lib.storage import RowCache
from kohaku_lib.tree import build_tree


def index_assets(make: AssetMaker) -> list[dg.AssetsDefinition]:
    """Return the assets of the group, bound to the project of `make`."""
    return [*_tree_assets(make), *_vector_assets(make), _snapshot_asset(make)]


def _tree_assets(make: AssetMaker) -> list[dg.AssetsDefinition]:
    settings = make.settings

    @make.asset("tree_nodes")
    def tree_nodes(inputs: Inputs) -> StageOutput:
        """The four-level tree: document, section, paragraph, sentence; a parent stands before its children."""
        return build_tree(inputs["documents"], inputs["image_captions"], settings.tree)

    @make.asset("lexical_index")
    def lexical_index(inputs: Inputs) -> StageOutput:
        """Tokens of every searchable node, as BM25 sees them."""
        return build_lexical(inputs["tree_nodes"], settings.lexical)

    @make.asset("knowledge_graph")
    def knowledge_graph(inputs: Inputs) -> StageOutput:
        """Entities and where they are mentioned, found by rule."""
        return extract_mentions(inputs["tree_nodes"], settings.graph)

    return [tree_nodes, lexical_index, knowledge_graph]


def _vector_assets(make: AssetMaker) -> list[dg.AssetsDefinition]:
    project, settings = make.project, make.settings

    def vectors() -> RowCache:
        return project.row_cache(f"embeddings/{model_key(settings.embedding)}", EMBEDDING_CACHE_SCHEMA)

    @make.asset("sentence_embeddings", kinds={"python", "huggingface"})
    def sentence_embeddings(inputs: Inputs) -> StageOutput:
        """Vectors of the leaves, embedded directly; only texts never seen before cost a model call."""
        with vectors() as cache:
            return embed_leaves(inputs["tree_nodes"], settings.embedding, cache, project.on_progress)

    @make.asset("paragraph_embeddings", kinds={"python", "huggingface"})
    def paragraph_embeddings(inputs: Inputs) -> StageOutput:
        """Direct vectors of whole paragraphs, where embedding.paragraph_mode is 'full' or 'both'; else empty."""
        with vectors() as cache:
            return embed_paragraphs(inputs["tree_nodes"], settings.embedding, cache, project.on_progress)

    @make.asset("node_embeddings", kinds={"python", "numpy"})
    def node_embeddings(inputs: Inputs) -> StageOutput:
        """Vectors of all nodes: leaves as embedded, parents as the normalised mean of their children."""
        return propagate(
            inputs["tree_nodes"], inputs["sentence_embeddings"], inputs["paragraph_embeddings"], settings.embedding
        )

    @make.asset("image_embeddings", kinds={"python", "huggingface"})
    def image_embeddings(inputs: Inputs) -> StageOutput:
        """Caption vectors of the images, in the same space as the texts."""
        with vectors() as cache:
            return embed_images(inputs["image_captions"], settings.embedding, cache)

    return [sentence_embeddings, paragraph_embeddings, node_embeddings, image_embeddings]


def _snapshot_asset(make: AssetMaker) -> dg.AssetsDefinition:
    project, settings = make.project, make.settings

    @make.asset("vector_tables", kinds={"python", "duckdb"}, pool="duckdb", intact=project.has_snapshot)
    def vector_tables(inputs: Inputs) -> StageOutput:
        """The index snapshot: DuckDB tables, memory-mapped vectors and the lexical index, never written again."""
        tables = IndexTables(
            documents=inputs["documents"],
            nodes=inputs["tree_nodes"],
            node_vectors=inputs["node_embeddings"],
            paragraph_vectors=inputs["paragraph_embeddings"],
            lexical=inputs["lexical_index"],
            mentions=inputs["knowledge_graph"],
            images=inputs["document_images"],
            image_vectors=inputs["image_embeddings"],
        )
        project.clear_snapshot(inputs.input_key)
        version, embedder = index_version(inputs.input_key), model_key(settings.embedding)
        return write_snapshot(project.snapshots, version, tables, settings, model_key=embedder)

    return vector_tables

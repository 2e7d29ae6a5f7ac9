"""Stages of the group index: from parsed documents to an index snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from kohaku_assets.pipeline.effective_values import graph_extractor
from kohaku_assets.pipeline.setting_keys import Implied, chat_keys, embedder_keys, if_set, implied_if, model_keys
from kohaku_assets.pipeline.stage import Stage
from kohaku_assets.pipeline.stages.engines import ENGINES
from kohaku_lib.composition.engine_combinations import switch_by_weight
from kohaku_lib.registry import lazy
from kohaku_lib.settings import Settings

_STEPS = "kohaku_assets.steps.index"


def tree_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect the tree."""
    yield from ("tree.view", "tree.resegment", "tree.sentence_splitter", "tree.id_base", "tree.id_scope")
    yield from ("tree.parent_texts", "tree.search_placeholders")
    if settings.tree.sentence_splitter == "guarded":
        yield "tree.min_sentence_chars"
    if settings.tree.view == "parent_child":
        yield from ("tree.parent_tokens", "tree.child_tokens", "tree.child_overlap_tokens")


def sentence_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect vectors of sentences."""
    yield from if_set(settings, "embedding.headings")
    yield from embedder_keys(settings)


def paragraph_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect vectors of paragraphs."""
    yield "embedding.paragraph_mode"
    is_empty = settings.embedding.paragraph_mode == "averaged"  # nothing reads how many dimensions it would have
    yield from implied_if(is_empty, sentence_keys(settings))


def image_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect vectors of images."""
    yield "embedding.images"
    unread = {"embedding.long_texts"} if settings.embedding.images == "direct" else set()
    yield from (key for key in embedder_keys(settings) if key not in unread)


def graph_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect the knowledge graph."""
    yield "graph.enabled"
    if settings.graph.enabled:
        yield "graph.extractor"
        if graph_extractor(settings) == "chat":
            yield from ("llm.provider", "graph.entity_types", "graph.relation_types", "graph.max_tokens")
            yield from model_keys(settings, "graph.model")
            yield from chat_keys(settings)


def graph_prompts(settings: Settings) -> Iterator[str]:
    """Yield the prompts that are sent for the knowledge graph."""
    if graph_extractor(settings) == "chat":
        yield "graph_extraction"


def index_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect the index beside its inputs."""
    yield from ("lexical.k1", "lexical.b", "lexical.stemmer", "vectors.precision", "vectors.ann")
    yield from if_set(settings, *switch_by_weight().values())  # those that are on have their assets as inputs
    yield from map(Implied, tree_keys(settings))  # the index states a digest of them; the nodes are by them
    if settings.late.enabled:
        yield "late.compression"


_embedding = partial(Stage, group="index", step=_STEPS, hash_inputs=True, work="embed", kinds=("python", "huggingface"))
INDEX = (
    Stage("tree_nodes", "index", _STEPS, ("documents", "image_captions"), tree_keys, code_tag="11"),
    _embedding("sentence_embeddings", reads=("tree_nodes",), keys=sentence_keys),
    _embedding("paragraph_embeddings", reads=("tree_nodes",), keys=paragraph_keys),
    Stage("lexical_index", "index", _STEPS, ("tree_nodes",), ("lexical.stemmer",), code_tag="5"),
    Stage("knowledge_graph", "index", _STEPS, ("tree_nodes",), graph_keys, graph_prompts, code_tag="4"),
    Stage(
        "node_embeddings",
        "index",
        _STEPS,
        ("sentence_embeddings", "paragraph_embeddings", "tree_nodes"),
        ("embedding.paragraph_mode", "embedding.weighting"),
        hash_inputs=True,
        kinds=("python", "numpy"),
    ),
    *ENGINES,
    _embedding("image_embeddings", reads=("document_images", "image_captions"), keys=image_keys),
    Stage(
        "vector_tables",
        "index",
        _STEPS,
        (
            *("documents", "document_images", "tree_nodes", "sentence_embeddings", "paragraph_embeddings"),
            *("lexical_index", "knowledge_graph", "node_embeddings", "image_embeddings"),
            *("raptor_summaries", "raptor_leaves", "token_vectors", "lightrag_themes"),
        ),
        index_keys,
        code_tag="8",
        intact=lazy(f"{_STEPS}:has_snapshot"),
        kinds=("python", "duckdb"),
    ),
)

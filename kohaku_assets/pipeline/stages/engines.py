"""Stages of the optional engines of retrieval; none runs in a refresh while its engine is off."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from kohaku_assets.pipeline.setting_keys import chat_keys, embedder_keys, model_keys
from kohaku_assets.pipeline.stage import Stage
from kohaku_lib.settings import Settings, value_of

_STEPS = "kohaku_assets.steps.engines"


def raptor_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect the tree of summaries."""
    yield from ("raptor.enabled", "raptor.cluster_size", "raptor.levels")
    yield from (*_summary_keys(settings, "raptor"), *embedder_keys(settings))


def lightrag_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect the themes of the knowledge graph."""
    yield from ("lightrag.enabled", "lightrag.relations_per_entity", "lightrag.min_community")
    yield from (*_summary_keys(settings, "lightrag"), *embedder_keys(settings))


def token_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect token vectors."""
    yield "late.enabled"
    yield from (key for key in embedder_keys(settings) if key not in ("embedding.dim", "embedding.long_texts"))


def _summary_keys(settings: Settings, section: str) -> Iterator[str]:
    yield from (f"{section}.summariser", f"{section}.summary_tokens")
    if value_of(settings, f"{section}.summariser") == "chat":
        yield "llm.provider"
        yield from model_keys(settings, f"{section}.model")
        yield from chat_keys(settings)


def summary_prompts(settings: Settings, section: str) -> Iterator[str]:
    """Yield the prompts that are sent for the summaries of a section, raptor or lightrag."""
    if value_of(settings, f"{section}.summariser") == "chat":
        yield "cluster_summary"


_embedding = partial(Stage, group="index", step=_STEPS, hash_inputs=True, work="embed", kinds=("python", "huggingface"))
ENGINES = (
    _embedding(
        "raptor_summaries",
        reads=("tree_nodes", "node_embeddings"),
        keys=raptor_keys,
        prompts=partial(summary_prompts, section="raptor"),
        switch="raptor.enabled",
    ),
    Stage("raptor_leaves", "index", _STEPS, ("raptor_summaries",), switch="raptor.enabled"),
    _embedding("token_vectors", reads=("tree_nodes",), keys=token_keys, switch="late.enabled"),
    _embedding(
        "lightrag_themes",
        reads=("tree_nodes", "node_embeddings", "knowledge_graph"),
        keys=lightrag_keys,
        prompts=partial(summary_prompts, section="lightrag"),
        switch="lightrag.enabled",
    ),
)

"""Pairs of settings that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kohaku_lib.kinds import FUSIONS, RERANKERS
from kohaku_lib.settings.models import Settings


@dataclass(frozen=True, slots=True)
class Contradiction:
    """The keys that do not go together, and one sentence that says why and what to do."""

    keys: tuple[str, ...]
    sentence: str


def find_contradiction(settings: Settings) -> Contradiction | None:
    """Return the first impossible combination in `settings`, or None.

    >>> from kohaku_lib.settings import LlmSettings
    >>> find_contradiction(Settings(llm=LlmSettings(provider="replay"))).keys
    ('llm.provider', 'replay.runs')
    """
    return next(_contradictions(settings), None)


def _contradictions(settings: Settings) -> Iterator[Contradiction]:
    search, index = settings.retrieval.paragraph_search_mode, settings.embedding.paragraph_mode
    if search == "both" and index != "both":
        yield Contradiction(
            ("retrieval.paragraph_search_mode", "embedding.paragraph_mode"),
            f"retrieval.paragraph_search_mode = 'both' needs embedding.paragraph_mode = 'both', got {index!r}",
        )
    if search == "full" and index == "averaged":
        yield Contradiction(
            ("retrieval.paragraph_search_mode", "embedding.paragraph_mode"),
            "retrieval.paragraph_search_mode = 'full' needs embedding.paragraph_mode = 'full' or 'both', got 'averaged'",
        )
    model = settings.embedding.model
    if settings.embedding.images == "direct" and (model == "minilm" or model.startswith("openai:")):
        yield Contradiction(
            ("embedding.images", "embedding.model"),
            f"embedding.images = 'direct' needs a model that embeds images, which {model!r} does not; set embedding.model "
            "to a CLIP model or jinaai/jina-embeddings-v4, or embedding.images to 'captions'",
        )
    documents = settings.documents
    if documents.tile_overlap * 2 > documents.tile_size:
        yield Contradiction(
            ("documents.tile_overlap", "documents.tile_size"),
            f"documents.tile_overlap must be at most half of documents.tile_size = {documents.tile_size}, "
            f"got {documents.tile_overlap}",
        )
    tree = settings.tree
    if tree.view == "parent_child" and not tree.child_overlap_tokens < tree.child_tokens <= tree.parent_tokens:
        yield Contradiction(
            ("tree.child_overlap_tokens", "tree.child_tokens", "tree.parent_tokens"),
            "tree.child_overlap_tokens must be less than tree.child_tokens, and that at most tree.parent_tokens, got "
            f"{tree.child_overlap_tokens}, {tree.child_tokens} and {tree.parent_tokens}",
        )
    fusion = FUSIONS.get(settings.retrieval.fusion)
    weights = tuple(f"retrieval.{key}" for key in fusion.weight_keys())
    if fusion.is_weighted and not any(fusion.weights(settings.retrieval).values()):
        yield Contradiction(weights, f"{', '.join(weights)} are all 0, so nothing would be searched; raise one")
    yield from _chat_contradictions(settings)
    yield from _name_contradictions(settings)
    yield from _graph_contradictions(settings)
    yield from _rerank_contradictions(settings)


def _chat_contradictions(settings: Settings) -> Iterator[Contradiction]:
    if settings.llm.provider == "replay" and not settings.replay.runs:
        yield Contradiction(
            ("llm.provider", "replay.runs"), "llm.provider = 'replay' needs replay.runs, a list of CSV files"
        )
    if settings.answer.send_images and (
        settings.llm.provider not in {"openai", "openrouter"} or not settings.retrieval.top_k_images
    ):
        yield Contradiction(
            ("answer.send_images", "llm.provider", "retrieval.top_k_images"),
            "answer.send_images = true needs llm.provider = 'openai' or 'openrouter' and retrieval.top_k_images above 0, "
            f"got {settings.llm.provider!r} and {settings.retrieval.top_k_images}",
        )
    if settings.llm.batch and settings.llm.provider != "openai":
        yield Contradiction(
            ("llm.batch", "llm.provider"),
            f"llm.batch = true needs a server with OpenAI's Batch API, but llm.provider is {settings.llm.provider!r}; "
            "set llm.provider to 'openai', or llm.batch to false",
        )
    if settings.planner.kind == "chat" and settings.llm.provider not in {"openai", "openrouter", "local"}:
        yield Contradiction(
            ("planner.kind", "llm.provider"),
            f"planner.kind = 'chat' needs a chat model, but llm.provider is {settings.llm.provider!r}; "
            "set llm.provider to 'openai', 'openrouter' or 'local', or planner.kind to 'auto'",
        )
    if settings.images.captions == "vision" and settings.llm.provider not in {"openai", "openrouter"}:
        yield Contradiction(
            ("images.captions", "llm.provider"),
            f"images.captions = 'vision' needs a chat model, but llm.provider is {settings.llm.provider!r}; "
            "set llm.provider to 'openai' or 'openrouter', or images.captions to 'page'",
        )


def _name_contradictions(settings: Settings) -> Iterator[Contradiction]:
    """OpenAI's own server knows no name with a maker before it, as OpenRouter and the hub have them."""
    llm, fallback = settings.llm, settings.llm.fallback
    asked = [
        ("llm.model", llm.model, "llm", llm),
        ("llm.fallback.model", fallback.model or llm.model, "llm.fallback", fallback),
    ]
    for key, name, section, server in asked:
        if server.provider == "openai" and not server.base_url and "/" in name:
            yield Contradiction(
                (f"{section}.provider", key),
                f"{section}.provider = 'openai' knows no model {name!r}; set {key} to a name of OpenAI's, such as "
                f"{name.rpartition('/')[2]!r}, {section}.provider to 'openrouter', or {section}.base_url to its server",
            )


def _graph_contradictions(settings: Settings) -> Iterator[Contradiction]:
    if settings.graph.extractor == "chat" and settings.llm.provider not in {"openai", "openrouter", "local"}:
        yield Contradiction(
            ("graph.extractor", "llm.provider"),
            f"graph.extractor = 'chat' needs a chat model, but llm.provider is {settings.llm.provider!r}; "
            "set llm.provider to 'openai', 'openrouter' or 'local', or graph.extractor to 'rule'",
        )


def _rerank_contradictions(settings: Settings) -> Iterator[Contradiction]:
    rerank = settings.rerank
    kind = RERANKERS.get(rerank.kind) if rerank.kind in RERANKERS else None
    if kind is not None and not all(getattr(rerank, key.removeprefix("rerank.")) for key in kind.needs):
        needed = " and ".join(kind.needs)
        yield Contradiction(
            ("rerank.kind", *kind.needs),
            f"rerank.kind = {rerank.kind!r} needs {needed}; set what is missing, or another rerank.kind",
        )
    has_chat = settings.llm.provider not in {"extractive", "replay"}
    asked = "kind" if kind is not None and kind.uses_chat else None
    asked = asked or ("verify" if rerank.verify in {"standard", "thorough"} else None)
    if asked and not has_chat:
        yield Contradiction(
            (f"rerank.{asked}", "llm.provider"),
            f"rerank.{asked} = {getattr(rerank, asked)!r} needs a chat model, but llm.provider is "
            f"{settings.llm.provider!r}; set llm.provider to 'openai' or 'openrouter', or leave rerank.{asked} out",
        )
    limits = {
        "safety_threshold": rerank.safety_threshold,
        "denoise_alpha": rerank.denoise_alpha,
        "score_gap": rerank.score_gap or None,
        "conformal": rerank.conformal,
    }
    limit = next((name for name, value in limits.items() if value is not None), None)
    if rerank.kind == "off" and limit:
        yield Contradiction(
            (f"rerank.{limit}", "rerank.kind"),
            f"rerank.{limit} compares rerank scores, but rerank.kind is 'off'; set rerank.kind, or leave it out",
        )

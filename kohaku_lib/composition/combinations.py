"""Checks of settings that contradict each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kohaku_lib.kinds import FUSIONS, PROVIDERS, ProviderKind
from kohaku_lib.retrieval.rerank import RERANKERS
from kohaku_lib.settings.all_settings import Settings
from kohaku_lib.settings.engine_combinations import engine_contradictions
from kohaku_lib.settings.keys import value_of


@dataclass(frozen=True, slots=True)
class Contradiction:
    """The conflicting keys, and one sentence with the reason and a remedy."""

    keys: tuple[str, ...]
    sentence: str


def find_contradiction(settings: Settings) -> Contradiction | None:
    """Return the first conflicting combination in `settings`, or None.

    >>> from kohaku_lib.settings import LlmSettings
    >>> find_contradiction(Settings(llm=LlmSettings(provider="replay"))).keys
    ('llm.provider', 'replay.runs')
    """
    return next(_all_contradictions(settings), None)


def _all_contradictions(settings: Settings) -> Iterator[Contradiction]:
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
        yield Contradiction(weights, f"{', '.join(weights)} are all 0, so no channel would be searched; raise one")
    yield from _chat_contradictions(settings)
    yield from _name_contradictions(settings)
    yield from _graph_contradictions(settings)
    yield from _rerank_contradictions(settings)
    yield from (Contradiction(*one) for one in engine_contradictions(settings))


def _chat_contradictions(settings: Settings) -> Iterator[Contradiction]:
    provider = PROVIDERS.get(settings.llm.provider)
    if not all(value_of(settings, key) for key in provider.needs):
        needed = " and ".join(provider.needs)
        yield Contradiction(
            ("llm.provider", *provider.needs),
            f"llm.provider = {provider.name!r} needs {needed}; set what is missing, or another llm.provider",
        )
    if settings.answer.send_images and not (provider.sees_images and settings.retrieval.top_k_images):
        yield Contradiction(
            ("answer.send_images", "llm.provider", "retrieval.top_k_images"),
            f"answer.send_images = true needs llm.provider = {_provider_names(_sees_images)} and retrieval.top_k_images above 0, "
            f"got {provider.name!r} and {settings.retrieval.top_k_images}",
        )
    if settings.answer.send_images and settings.llm.facts().vision is False:
        yield Contradiction(
            ("answer.send_images", "llm.model", "llm.models"),
            f"answer.send_images = true needs a model that sees images, which {settings.llm.model!r} does not as far as is "
            f'known; set llm.model to another one, or llm.models."{settings.llm.model}".vision to true',
        )
    if settings.llm.batch and not _has_batches(provider):
        yield Contradiction(
            ("llm.batch", "llm.provider"),
            f"llm.batch = true needs a server with OpenAI's Batch API, but llm.provider is {provider.name!r}; "
            f"set llm.provider to {_provider_names(_has_batches)}, or llm.batch to false",
        )
    if settings.planner.kind == "chat" and not provider.uses_chat:
        yield _chat_needed("planner.kind", "chat", provider, _uses_chat, "planner.kind to 'auto'")
    if settings.images.captions == "vision" and not provider.sees_images:
        yield _chat_needed("images.captions", "vision", provider, _sees_images, "images.captions to 'page'")


def _name_contradictions(settings: Settings) -> Iterator[Contradiction]:
    """OpenAI's own server does not accept names with a vendor prefix, as on OpenRouter and the hub."""
    llm, fallback = settings.llm, settings.llm.fallback
    candidates = [
        ("llm.model", llm.model, "llm", llm),
        ("llm.fallback.model", fallback.model or llm.model, "llm.fallback", fallback),
    ]
    for key, name, section, server in candidates:
        own = PROVIDERS.get(server.provider).server if server.provider else None
        if own is not None and not own.names_makers and not server.base_url and "/" in name:
            yield Contradiction(
                (f"{section}.provider", key),
                f"{section}.provider = {server.provider!r} has no model {name!r}; set {key} to one of its names, such as "
                f"{name.rpartition('/')[2]!r}, {section}.provider to 'openrouter', or {section}.base_url to its server",
            )


def _graph_contradictions(settings: Settings) -> Iterator[Contradiction]:
    provider = PROVIDERS.get(settings.llm.provider)
    if settings.graph.extractor == "chat" and not provider.uses_chat:
        yield _chat_needed("graph.extractor", "chat", provider, _uses_chat, "graph.extractor to 'rule'")
    for key in ("raptor.summariser", "lightrag.summariser"):
        if value_of(settings, key) == "chat" and not provider.uses_chat:
            yield _chat_needed(key, "chat", provider, _uses_chat, f"{key} to 'extractive'")


def _rerank_contradictions(settings: Settings) -> Iterator[Contradiction]:
    rerank = settings.rerank
    kind = RERANKERS.get(rerank.kind) if rerank.kind in RERANKERS else None
    if kind is not None and not all(getattr(rerank, key.removeprefix("rerank.")) for key in kind.needs):
        needed = " and ".join(kind.needs)
        yield Contradiction(
            ("rerank.kind", *kind.needs),
            f"rerank.kind = {rerank.kind!r} needs {needed}; set what is missing, or another rerank.kind",
        )
    provider = PROVIDERS.get(settings.llm.provider)
    option = "kind" if kind is not None and kind.uses_chat else None
    option = option or ("verify" if rerank.verify in {"standard", "thorough"} else None)
    if option and not provider.uses_chat:
        yield _chat_needed(
            f"rerank.{option}", getattr(rerank, option), provider, _uses_chat, f"leave rerank.{option} out"
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


def _chat_needed(
    key: str, value: str, provider: ProviderKind, fits: Callable[[ProviderKind], bool], otherwise: str
) -> Contradiction:
    sentence = (
        f"{key} = {value!r} needs a chat model, but llm.provider is {provider.name!r}; "
        f"set llm.provider to {_provider_names(fits)}, or {otherwise}"
    )
    return Contradiction((key, "llm.provider"), sentence)


def _uses_chat(provider: ProviderKind) -> bool:
    return provider.uses_chat


def _sees_images(provider: ProviderKind) -> bool:
    return provider.sees_images


def _has_batches(provider: ProviderKind) -> bool:
    return provider.server is not None and provider.server.has_batches


def _provider_names(fits: Callable[[ProviderKind], bool]) -> str:
    *others, last = (repr(provider.name) for provider in PROVIDERS if fits(provider))
    return f"{', '.join(others)} or {last}" if others else last

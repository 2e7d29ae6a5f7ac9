"""Checks of settings that contradict each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kohaku_lib.composition.engine_combinations import engine_contradictions
from kohaku_lib.embedding.model_folder import model_kind
from kohaku_lib.llm.providers.interface import PROVIDERS, ProviderKind
from kohaku_lib.retrieval.fusion.interface import FUSIONS
from kohaku_lib.retrieval.rerank import RERANKERS
from kohaku_lib.settings.all_settings import Settings
from kohaku_lib.settings.answer_settings import LlmSettings
from kohaku_lib.settings.keys import value_of


@dataclass(frozen=True, slots=True)
class Contradiction:
    """The conflicting keys, and one sentence with the reason and a remedy."""

    keys: tuple[str, ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class _Need:
    """What a setting needs: `what` names it, and `fits` tells whether a provider has it."""

    what: str
    fits: Callable[[ProviderKind], bool]

    @property
    def names(self) -> str:
        """The providers that have it."""
        *others, last = (repr(provider.name) for provider in PROVIDERS if self.fits(provider))
        return f"{', '.join(others)} or {last}" if others else last


_MODEL = _Need("a chat model", lambda provider: True)
_SEEING = _Need("a chat model that sees images", lambda provider: provider.sees_images)
_BATCHES = _Need(
    "a server with OpenAI's Batch API", lambda provider: provider.server is not None and provider.server.has_batches
)


def find_contradiction(settings: Settings) -> Contradiction | None:
    """Return the first conflicting combination in `settings`, or None.

    >>> from kohaku_lib.settings import AnswerSettings
    >>> find_contradiction(Settings(answer=AnswerSettings(by="replay"))).keys
    ('answer.by', 'replay.runs')
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
    if settings.embedding.images == "direct" and model_kind(model) in ("bundled", "server"):
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
    if not any(fusion.weights(settings.retrieval).values()):
        yield Contradiction(weights, f"{', '.join(weights)} are all 0, so no channel would be searched; raise one")
    yield from _chat_contradictions(settings)
    yield from _name_contradictions(settings)
    yield from _graph_contradictions(settings)
    yield from _rerank_contradictions(settings)
    yield from (Contradiction(*one) for one in engine_contradictions(settings))


def _chat_contradictions(settings: Settings) -> Iterator[Contradiction]:
    by, provider = settings.answerer, settings.llm.provider
    if by == "replay" and not settings.replay.runs:
        yield Contradiction(
            ("answer.by", "replay.runs"),
            "answer.by = 'replay' needs replay.runs; list the CSV files of recorded answers, or set another answer.by",
        )
    if by == "model" and provider is None:
        yield Contradiction(
            ("answer.by", "llm.provider"),
            f"answer.by = {settings.answer.by!r} needs llm.provider; set it to {_MODEL.names}, or answer.by to 'reader'",
        )
    if settings.answer.by == "auto" and provider is None and settings.llm.model != LlmSettings().model:
        yield Contradiction(
            ("llm.model", "llm.provider"),
            f"llm.model = {settings.llm.model!r} needs llm.provider; set it to {_MODEL.names} (openai with llm.base_url for a "
            "server on this machine, which 'kohaku models' finds), or answer.by to 'reader'",
        )
    if settings.answer.send_images and not _has(settings, _SEEING):
        yield _needed("answer.send_images", settings, _SEEING, "answer.send_images to false")
    if settings.answer.send_images and not settings.retrieval.top_k_images:
        yield Contradiction(
            ("answer.send_images", "retrieval.top_k_images"),
            "answer.send_images = true needs retrieval.top_k_images above 0, got 0; raise it, or set answer.send_images to false",
        )
    if settings.answer.send_images and settings.llm.facts().vision is False:
        yield Contradiction(
            ("answer.send_images", "llm.model", "llm.models"),
            f"answer.send_images = true needs a model that sees images, which {settings.llm.model!r} does not as far as is "
            f'known; set llm.model to another one, or llm.models."{settings.llm.model}".vision to true',
        )
    if settings.llm.batch and not _has(settings, _BATCHES):
        yield _needed("llm.batch", settings, _BATCHES, "llm.batch to false")
    if settings.planner.kind == "chat" and not settings.uses_chat:
        yield _needed("planner.kind", settings, _MODEL, "planner.kind to 'auto'")
    if settings.images.captions == "vision" and not _has(settings, _SEEING):
        yield _needed("images.captions", settings, _SEEING, "images.captions to 'page'")


def _name_contradictions(settings: Settings) -> Iterator[Contradiction]:
    """OpenAI's own server does not accept names with a vendor prefix, as on OpenRouter and the hub."""
    llm, fallback = settings.llm, settings.llm.fallback
    if not settings.uses_chat:
        return
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
    if settings.graph.extractor == "chat" and not settings.uses_chat:
        yield _needed("graph.extractor", settings, _MODEL, "graph.extractor to 'rule'")
    for key in ("raptor.summariser", "lightrag.summariser"):
        if value_of(settings, key) == "chat" and not settings.uses_chat:
            yield _needed(key, settings, _MODEL, f"{key} to 'extractive'")


def _rerank_contradictions(settings: Settings) -> Iterator[Contradiction]:
    rerank = settings.rerank
    kind = RERANKERS.get(rerank.kind) if rerank.kind in RERANKERS else None
    if kind is not None and not all(getattr(rerank, key.removeprefix("rerank.")) for key in kind.needs):
        needed = " and ".join(kind.needs)
        yield Contradiction(
            ("rerank.kind", *kind.needs),
            f"rerank.kind = {rerank.kind!r} needs {needed}; set what is missing, or another rerank.kind",
        )
    option = "kind" if kind is not None and kind.uses_chat else None
    option = option or ("verify" if rerank.verify in {"standard", "thorough"} else None)
    if option and not settings.uses_chat:
        yield _needed(f"rerank.{option}", settings, _MODEL, f"leave rerank.{option} out")
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


def _has(settings: Settings, need: _Need) -> bool:
    """Return whether a chat model of a provider that fits `need` answers."""
    return settings.uses_chat and (settings.llm.provider is None or need.fits(PROVIDERS.get(settings.llm.provider)))


def _needed(key: str, settings: Settings, need: _Need, otherwise: str) -> Contradiction:
    by, provider = settings.answer.by, settings.llm.provider
    if provider is not None and not settings.uses_chat:
        keys, got, remedy = (key, "answer.by"), f"answer.by is {by!r}", "set answer.by to 'model'"
    else:
        got = "llm.provider is not set" if provider is None else f"llm.provider is {provider!r}"
        keys, remedy = (key, "llm.provider"), f"set llm.provider to {need.names}"
    value = value_of(settings, key)
    shown = "true" if value is True else repr(value)
    return Contradiction(keys, f"{key} = {shown} needs {need.what}, but {got}; {remedy}, or {otherwise}")

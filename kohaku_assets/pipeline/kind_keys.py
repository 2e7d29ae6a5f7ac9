"""The settings that the selected kinds of rerankers and chat models read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from kohaku_lib.digests import file_sha256
from kohaku_lib.kinds import PROVIDERS
from kohaku_lib.retrieval.rerank import RERANKERS, asks_chat, chosen_kinds
from kohaku_lib.settings import Settings


def rerank_keys(settings: Settings, *, has_chat: bool) -> Iterator[str]:
    """Yield the setting keys that affect a context, followed by those of the chat model if one is used."""
    rerank = settings.rerank
    kinds = reranker_kinds(settings, has_chat=has_chat)
    yield from ("rerank.kind", "rerank.penalties", "rerank.semantic_dedup", "rerank.verify", "rerank.mmr")
    yield "rerank.top_k"
    is_diverse = rerank.mmr is not None or settings.retrieval.intent_hints
    if kinds or is_diverse or rerank.verify in ("standard", "thorough"):
        yield "rerank.top_n"
    if is_diverse:
        yield "rerank.mmr_k"
    if rerank.verify != "none":
        yield "rerank.verify_cosine" if rerank.verify == "quick" else "rerank.verify_grade"
    if kinds:
        yield "rerank.weight"
        yield from ("rerank.safety_threshold", "rerank.denoise_alpha", "rerank.score_gap", "rerank.conformal")
        yield from ("rerank.conformal_error",) if rerank.conformal else ()
    yield from (key for kind in kinds for key in RERANKERS.get(kind).settings_keys)
    if asks_chat(settings.rerank, has_chat=has_chat):
        yield "llm.provider"
        yield "rerank.chat_model" if rerank.chat_model else "llm.model"


def reranker_kinds(settings: Settings, *, has_chat: bool) -> Sequence[str]:
    """Return the kinds of rerankers to try, in order."""
    return chosen_kinds(settings.rerank, has_chat=has_chat)


def _calibration_hash(settings: Settings) -> str | None:
    """The content hash of the calibration file, independent of its path."""
    path = settings.rerank.conformal
    if path is None:
        return None
    return file_sha256(path) if path.is_file() else "missing"


def rerank_identities() -> dict[str, Callable[[Settings], Any]]:
    """Return, by setting key, the function that resolves a path or name to what the result depends on."""
    identity_by_key: dict[str, Callable[[Settings], Any]] = {"rerank.conformal": _calibration_hash}
    for kind in RERANKERS:
        identity_by_key |= kind.identities
    return identity_by_key


def asking_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that change the prompt or the parameters of a chat model's answers.

    >>> "answer.max_images" in asking_keys(Settings())
    False
    """
    yield from ("llm.model", "llm.max_tokens", "answer.context_first", "answer.snippet_order")
    yield from ("answer.temperature", "answer.seed", "answer.best_guess", "answer.cite", "answer.overflow")
    yield "llm.models"
    if settings.retrieval.top_k_images:
        yield "answer.send_images"
    if settings.answer.send_images:
        yield from ("answer.max_images", "answer.max_image_mb")


def chat_keys(settings: Settings) -> Iterator[str]:
    """Yield the other settings of the chat client that may change a reply.

    >>> list(chat_keys(Settings()))
    []
    """
    yield from PROVIDERS.get(settings.llm.provider).settings_keys
    if settings.llm.fallback.provider:
        yield from ("llm.fallback.provider", "llm.fallback.model")

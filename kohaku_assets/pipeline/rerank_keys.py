"""The settings by which the snippets of a ranking are refined, as far as the chosen ways read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from kohaku_lib.digests import file_sha256
from kohaku_lib.kinds import RERANKERS
from kohaku_lib.retrieval.rerank import asks_chat, chosen_kinds
from kohaku_lib.settings import Settings


def rerank_keys(settings: Settings, *, has_chat: bool) -> Iterator[str]:
    """Yield the keys that change a context; those of the chat model follow where one is asked."""
    rerank = settings.rerank
    kinds = reranker_kinds(settings, has_chat=has_chat)
    yield from ("rerank.kind", "rerank.penalties", "rerank.semantic_dedup", "rerank.verify", "rerank.mmr")
    if kinds or rerank.mmr is not None or rerank.verify in ("standard", "thorough"):
        yield "rerank.top_n"
    if rerank.mmr is not None:
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
    """Return the kinds of rerankers that are tried, in order."""
    return chosen_kinds(settings.rerank, has_chat=has_chat)


def _conformal(settings: Settings) -> str | None:
    """The content of the calibration file, whatever its path."""
    path = settings.rerank.conformal
    if path is None:
        return None
    return file_sha256(path) if path.is_file() else "missing"


def rerank_identities() -> dict[str, Callable[[Settings], Any]]:
    """Return what a result depends on, by the setting whose text says it by a path only."""
    found: dict[str, Callable[[Settings], Any]] = {"rerank.conformal": _conformal}
    for kind in RERANKERS:
        found |= kind.identities
    return found

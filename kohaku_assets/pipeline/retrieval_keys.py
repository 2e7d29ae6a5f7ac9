"""The settings and prompts that affect a context, as far as the selected kinds read them."""

from __future__ import annotations

from collections.abc import Iterator

from kohaku_assets.pipeline.effective_values import reranker_kinds
from kohaku_assets.pipeline.setting_keys import Implied, chat_keys, if_set, model_keys
from kohaku_lib.retrieval.channels.interface import CHANNELS
from kohaku_lib.retrieval.fusion.interface import CONSENSUS, FUSIONS
from kohaku_lib.retrieval.rerank import RERANKERS, asks_chat
from kohaku_lib.settings import RetrievalSettings, Settings

RERANK_TESTS = ("rerank.safety_threshold", "rerank.denoise_alpha", "rerank.score_gap", "rerank.conformal")


def retrieval_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect contexts."""
    retrieval = settings.retrieval
    unread = {"channel_timeout_s", "graph_server", "graph_server_timeout_s"}
    unread |= _keys_of_all_kinds() - _keys_of_chosen_kinds(retrieval)
    if retrieval.dedup_first:
        unread.discard("deduplicate")
    is_exact = settings.vectors.precision == "float32" and settings.vectors.ann == "off"
    unread |= {"rescore"} if is_exact else set()
    yield from (f"retrieval.{name}" for name in type(retrieval).model_fields if name not in unread)
    yield from (Implied("answer.by"), Implied("llm.provider"))
    looked_at = (*FUSIONS.get(retrieval.fusion).weight_keys(), "rescore", "planned_query_weight")
    yield from (Implied(f"retrieval.{name}") for name in looked_at)
    has_chat = settings.uses_chat
    yield from rerank_keys(settings, has_chat=has_chat)
    if asks_chat(settings.rerank, has_chat=has_chat):
        yield from chat_keys(settings)


def _keys_of_all_kinds() -> set[str]:
    """Return the fields of retrieval that only particular kinds read."""
    kinds = (*FUSIONS, *CONSENSUS, *CHANNELS)
    weights = {channel.weight_key for channel in CHANNELS if channel.weight_key}
    return weights.union(*(kind.settings_keys for kind in kinds))


def _keys_of_chosen_kinds(retrieval: RetrievalSettings) -> set[str]:
    """Return those of these fields that the selected kinds read."""
    fusion = FUSIONS.get(retrieval.fusion)
    channels = [CHANNELS.get(name) for name, weight in fusion.weights(retrieval).items() if weight]
    kinds = (fusion, CONSENSUS.get(retrieval.consensus), *channels)
    weights = {key for key in fusion.weight_keys() if getattr(retrieval, key)}  # a weight of 0 is that of no channel
    return weights.union(*(kind.settings_keys for kind in kinds))


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
        yield from RERANK_TESTS
        yield from ("rerank.conformal_error",) if rerank.conformal else ()
    else:
        yield from if_set(settings, *RERANK_TESTS)  # one that is set keeps related paragraphs out of the context
    yield from (key for kind in kinds for key in RERANKERS.get(kind).settings_keys)
    yield from (Implied(key) for kind in RERANKERS for key in kind.needs)  # by which rerank.kind = "auto" chooses
    if asks_chat(settings.rerank, has_chat=has_chat):
        yield "llm.provider"
        yield from model_keys(settings, "rerank.chat_model")
        yield from ("llm.max_tokens",) if rerank.verify in ("standard", "thorough") else ()


def retrieval_prompts(settings: Settings) -> Iterator[str]:
    """Yield the prompts that are sent for contexts."""
    has_chat = settings.uses_chat
    for kind in reranker_kinds(settings, has_chat=has_chat):
        yield from RERANKERS.get(kind).prompts
    if settings.rerank.verify in ("standard", "thorough"):
        yield "snippet_grading"

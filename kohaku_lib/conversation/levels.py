"""The settings of one question: those of the project, overlaid by an intelligence level, the intent and the request.

Levels change how the index is read, never what is in it, so none of their keys enters the version of an asset.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kohaku_lib.composition import overlaid
from kohaku_lib.composition.engine_combinations import switch_by_weight
from kohaku_lib.conversation.request import AssistantRequest
from kohaku_lib.retrieval.channels.interface import CHANNELS
from kohaku_lib.retrieval.planning.intent_hints import RELATED_SHARE, hints_for
from kohaku_lib.retrieval.planning.routing import SURE, classify_intent
from kohaku_lib.settings import Settings, value_of

ENSEMBLE_RUNS = 3
_EXTRA_WEIGHTS = tuple(
    f"retrieval.{channel.weight_key}" for channel in CHANNELS if channel.weight_key and not channel.is_basic
)
# What each level sets. Verification, expansion, chain of thought and voting grow with the level; without a chat model
# snippets are verified by cosine, questions expanded by rule, and one deterministic answer is read. The first levels
# search by meaning and words alone, the enhanced one the graph as well, the maximum all engines that the index has.
LEVELS: dict[str, dict[str, Any]] = {
    "basic": {
        "retrieval.top_k_final": 8,
        "planner.max_queries": 1,
        "planner.routing": "dense_only",
        **dict.fromkeys(_EXTRA_WEIGHTS, 0.0),
        "retrieval.related_share": 0.0,
        "rerank.verify": "none",
    },
    "standard": {
        "retrieval.top_k_final": 10,
        "planner.max_queries": 1,
        "planner.routing": "hybrid",
        **dict.fromkeys(_EXTRA_WEIGHTS, 0.0),
        "retrieval.related_share": 0.0,
        "rerank.verify": "quick",
    },
    "enhanced": {
        "retrieval.top_k_final": 12,
        "planner.max_queries": 3,
        "planner.routing": "hybrid",
        **dict.fromkeys(_EXTRA_WEIGHTS, 0.0),
        "retrieval.graph_weight": 0.1,
        "retrieval.related_share": RELATED_SHARE,
        "rerank.verify": "thorough",
        "assistant.chain_of_thought": True,
    },
    "maximum": {
        "retrieval.top_k_final": 15,
        "planner.max_queries": 4,
        "planner.routing": "fusion",
        "planner.style": "variations",
        "planner.hyde": "auto",
        "planner.step_back": "auto",
        "retrieval.consensus": "rrf",
        **dict.fromkeys(_EXTRA_WEIGHTS, 0.1),
        "retrieval.related_share": RELATED_SHARE,
        "rerank.kind": "embedding_similarity",
        "rerank.verify": "thorough",
        "assistant.chain_of_thought": True,
        "assistant.extended_thinking": True,
        "ensemble.runs": ENSEMBLE_RUNS,
    },
}
# By intent: the results that an answer needs at least, and the share of novelty in their order.
INTENT_TOP_K = {"FACTUAL": 6, "ANALYTICAL": 8, "COMPARISON": 10, "SUMMARY": 12, "LIST": 15}
INTENT_DIVERSITY = {"ANALYTICAL": 0.2, "COMPARISON": 0.4, "SUMMARY": 0.3}


def question_settings(
    settings: Settings, request: AssistantRequest, question: str, runtime: Mapping[str, Any] | None = None
) -> Settings:
    """Return the settings that answer `question`, the standalone form of the request's message.

    The settings of the project hold, over them those of the level if there is one, then the `runtime` values by dotted
    name, then what the request sets explicitly.

    Raises:
        SettingsError: The combination contradicts itself.

    >>> found = question_settings(Settings(), AssistantRequest(message="?", intelligence_level="basic"), "List all sites")
    >>> found.retrieval.top_k_final, found.planner.routing
    (15, 'dense_only')
    """
    values = question_values(settings, request, question, runtime or {})
    return overlaid(settings, values) if values else settings


def question_values(
    settings: Settings, request: AssistantRequest, question: str, runtime: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the values that `question_settings` lays over those of the project, by dotted name."""
    level = request.intelligence_level or runtime.get("assistant.level", settings.assistant.level)
    values = _level_values(level, settings) if level else {}
    if level:
        values |= _intent_values(question, values["retrieval.top_k_final"], level)
    has_hints = runtime.get("retrieval.intent_hints", settings.retrieval.intent_hints)
    if has_hints and (hints := hints_for(_sure_intent(question))) and hints.use_cot:
        values["assistant.chain_of_thought"] = True
    values |= {**runtime, **_explicit_values(request)}
    return values if settings.uses_chat else _without_chat(values)


def _level_values(level: str, settings: Settings) -> dict[str, Any]:
    """Return what a level sets; a channel that it adds keeps the weight that the settings give it, or stays off without index.

    Channels that a level does not search are off, whatever their weights.
    """
    switches = switch_by_weight()
    kept = {key for key in LEVELS[level] if key in switches and not value_of(settings, switches[key])}
    kept |= {key for key, value in LEVELS[level].items() if key in _EXTRA_WEIGHTS and value and value_of(settings, key)}
    kept |= set() if settings.graph.enabled else {"retrieval.related_share"}
    return {key: value for key, value in LEVELS[level].items() if key not in kept}


def _intent_values(question: str, top_k: int, level: str) -> dict[str, Any]:
    intent = _sure_intent(question)
    if intent is None:
        return {}
    values: dict[str, Any] = {"retrieval.top_k_final": max(top_k, INTENT_TOP_K.get(intent, top_k))}
    if level in ("enhanced", "maximum") and intent in INTENT_DIVERSITY:
        values["rerank.mmr"] = 1.0 - INTENT_DIVERSITY[intent]
    return values


def _sure_intent(question: str) -> str | None:
    intent, confidence = classify_intent(question)
    return intent if confidence >= SURE or intent in ("LIST", "COMPARISON") else None  # one hit of these is plain


def _explicit_values(request: AssistantRequest) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if request.temperature_override is not None:
        values["assistant.temperature"] = request.temperature_override
    if request.enable_cot is not None:
        values["assistant.chain_of_thought"] = request.enable_cot
    if request.enable_verification is not None:
        values["rerank.verify"] = "standard" if request.enable_verification else "none"
    if request.ensemble_voting is not None:
        values["ensemble.runs"] = ENSEMBLE_RUNS if request.ensemble_voting else 1
    return values


def _without_chat(values: Mapping[str, Any]) -> dict[str, Any]:
    """Replace what needs a chat model by what needs none."""
    replaced = {"rerank.verify": {"standard": "quick", "thorough": "quick"}, "ensemble.runs": {ENSEMBLE_RUNS: 1}}
    return {key: replaced.get(key, {}).get(value, value) for key, value in values.items()}

"""Asks a chat model what kind a question is and what makes it hard, where the rules are not sure."""

from __future__ import annotations

from collections.abc import Callable

from kohaku_lib.llm.json_replies import json_values
from kohaku_lib.retrieval.plan_chat import UnusableReplyError
from kohaku_lib.retrieval.routing import Route, intents, route_of, signals

SURE = 0.6  # from this confidence on the rules are not asked after
BY_CHAT = 0.8  # confidence in an intent that a model names

_MEANINGS = {
    "multi-hop": "it asks about something that has to be found first",
    "aggregation": "it asks for a sum, a mean or a count over several texts",
    "relation": "it asks how named things are related",
    "comparison": "it compares things",
    "reasoning": "it asks why or how",
    "temporal": "its answer depends on a time",
    "documents": "it spans several documents",
}

SYSTEM = (
    "You sort questions about a collection of documents. Answer with one JSON object and nothing else: "
    f'{{"intent": one of {", ".join(intents())}, "signals": those of this list that apply: '
    + "; ".join(f"{name} ({meaning})" for name, meaning in _MEANINGS.items())
    + "}."
)


def classify_by_chat(question: str, question_id: str, chat: Callable[[str, str, str], str], by_rule: Route) -> Route:
    """Return the route of `question` as a model sorts it; how long it is and how many it asks stay as counted.

    Raises UnusableReplyError where the reply names no known intent, and whatever `chat` raises.

    >>> from kohaku_lib.retrieval.routing import route
    >>> reply = '{"intent": "comparison", "signals": ["comparison", "aggregation"]}'
    >>> found = classify_by_chat("PUE of A or B?", "q1", lambda *_: reply, route("PUE of A or B?"))
    >>> found.intent, found.strategy
    ('COMPARISON', 'two_stage')
    """
    reply = chat(SYSTEM, f"Question: {question}", question_id)
    objects = [value for value in json_values(reply) if isinstance(value, dict) and "intent" in value]
    intent = str(objects[-1]["intent"]).strip().upper() if objects else ""
    if intent not in intents():
        msg = f"a classifier must name one of {', '.join(intents())}, got {reply[:80]!r}; try another planner.model"
        raise UnusableReplyError(msg)
    signals_found = objects[-1].get("signals")
    named = {str(name).strip().lower() for name in signals_found} if isinstance(signals_found, list) else set[str]()
    counted = set(by_rule.signals) - _MEANINGS.keys()
    found = tuple(name for name in signals() if name in counted or name in named & _MEANINGS.keys())
    return route_of(question, intent, BY_CHAT, found)

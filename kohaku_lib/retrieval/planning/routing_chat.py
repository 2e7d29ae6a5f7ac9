"""Classifies a question by a chat model if the rules are not confident."""

from __future__ import annotations

from collections.abc import Callable

from kohaku_lib.prompts import question_class as wording
from kohaku_lib.retrieval.planning.plan_chat import UnusableReplyError
from kohaku_lib.retrieval.planning.routing import Route, intents, route_of, signals
from kohaku_lib.text.json_replies import last_json_value

SURE = 0.6  # minimum confidence of the rules for which no model is called
BY_CHAT = 0.8  # confidence in an intent that a model names


def classify_by_chat(question: str, question_id: str, chat: Callable[[str, str, str], str], by_rule: Route) -> Route:
    """Return the route of `question` as classified by a model; signals that are counted are taken from the rules.

    Raises:
        UnusableReplyError: The reply names no known intent.

    >>> from kohaku_lib.retrieval.planning.routing import route
    >>> reply = '{"intent": "comparison", "signals": ["comparison", "aggregation"]}'
    >>> found = classify_by_chat("PUE of A or B?", "q1", lambda *_: reply, route("PUE of A or B?"))
    >>> found.intent, found.strategy
    ('COMPARISON', 'two_stage')
    """
    reply = chat(wording.system(intents()), wording.USER.format(question=question), question_id)
    found = last_json_value(reply, lambda value: isinstance(value, dict) and "intent" in value)
    intent = str(found["intent"]).strip().upper() if found else ""
    if intent not in intents():
        msg = f"a classifier must name one of {', '.join(intents())}, got {reply[:80]!r}; try another planner.model"
        raise UnusableReplyError(msg)
    listed = found.get("signals") if found else None
    named = {str(name).strip().lower() for name in listed} if isinstance(listed, list) else set[str]()
    counted = set(by_rule.signals) - wording.SIGNALS.keys()
    applying = tuple(name for name in signals() if name in counted or name in named & wording.SIGNALS.keys())
    return route_of(question, intent, BY_CHAT, applying)

"""Plans a question per channel by a chat model: keywords, a sentence to embed, and channel weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from kohaku_lib.prompts import channel_plan as wording
from kohaku_lib.retrieval.planning.plan_chat import UnusableReplyError
from kohaku_lib.retrieval.planning.plan_rules import plan_by_rule
from kohaku_lib.tables import PlannedQuery, QueryPlan
from kohaku_lib.text.json_replies import last_json_value

MOST_WEIGHT = 2.0
MOST_RESULTS = 200
CHANNEL_BY_NAME = {"lexical": "lexical", "semantic": "dense", "dense": "dense", "graph": "graph"}


def plan_channels(question: str, question_id: str, chat: Callable[[str, str, str], str]) -> QueryPlan:
    """Return a plan with keywords for lexical and a sentence for dense search, in addition to the question itself.

    Raises:
        UnusableReplyError: The reply contains no such object.
    """
    return parse_plan(question, question_id, chat(wording.SYSTEM, wording.USER.format(question=question), question_id))


def simple_plan(question: str, question_id: str) -> QueryPlan:
    """Return the fallback plan: the keywords of the question, without weights.

    >>> [(query.text, query.channels) for query in simple_plan("What is the PUE of site B?", "q1").queries]
    [('What is the PUE of site B?', None), ('PUE site B', ('lexical',))]
    """
    words = [PlannedQuery(text, channels=("lexical",)) for text in plan_by_rule(question, 2)[1:]]
    return QueryPlan(question_id, (PlannedQuery(question, "question"), *words))


def parse_plan(question: str, question_id: str, reply: str) -> QueryPlan:
    """Return the plan in a model's reply, the last JSON object with "keywords" or "semantic_query_text".

    A weight must be a finite number from 0 to 2, a top_k an integer from 1 to 200; invalid ones are ignored. A graph
    that is not required has the weight 0.

    Raises:
        UnusableReplyError: The reply contains no such object.

    >>> plan = parse_plan("PUE?", "q1", '{"keywords": ["PUE", "ratio"], "weights": {"semantic": 1.5, "lexical": 9}}')
    >>> [query.text for query in plan.queries], plan.weights
    (['PUE?', 'PUE ratio'], {'dense': 1.5, 'graph': 0.0})
    """
    plan_json = last_json_value(reply, _is_plan)
    if plan_json is None:
        msg = f'a planner must reply {{"keywords": [...], ...}}, got {reply[:80]!r}; try another planner.model'
        raise UnusableReplyError(msg)
    weights = _by_channel(plan_json.get("weights"), _valid_weight)
    if plan_json.get("requires_graph") is not True:
        weights["graph"] = 0.0
    intent = plan_json.get("intent")
    return QueryPlan(
        question_id,
        _reply_queries(question, plan_json),
        weights=weights,
        channel_top_k=_by_channel(plan_json.get("top_k"), _valid_top_k),
        intent=intent if intent in wording.INTENTS else None,
    )


def _reply_queries(question: str, plan_json: Mapping[str, Any]) -> tuple[PlannedQuery, ...]:
    keywords, sentence = plan_json.get("keywords"), plan_json.get("semantic_query_text")
    words = " ".join(word.strip() for word in keywords if isinstance(word, str)) if isinstance(keywords, list) else ""
    queries = [PlannedQuery(question, "question")]
    if words.strip():
        queries.append(PlannedQuery(words.strip(), channels=("lexical",)))
    if isinstance(sentence, str) and sentence.strip() and sentence.strip() != question:
        queries.append(PlannedQuery(sentence.strip(), channels=("dense",)))
    return tuple(queries)


def _is_plan(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return isinstance(value.get("keywords"), list) or isinstance(value.get("semantic_query_text"), str)


def _by_channel(values: Any, read: Callable[[Any], Any]) -> dict[str, Any]:
    if not isinstance(values, dict):
        return {}
    value_by_channel = {CHANNEL_BY_NAME[name]: read(value) for name, value in values.items() if name in CHANNEL_BY_NAME}
    return {name: value for name, value in value_by_channel.items() if value is not None}


def _valid_weight(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) and 0.0 <= value <= MOST_WEIGHT else None


def _valid_top_k(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_RESULTS
    return value if is_count else None

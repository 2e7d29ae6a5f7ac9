"""Plans queries with a chat model, whatever form its reply takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kohaku_lib.errors import ModelError
from kohaku_lib.prompts import question_variations, search_queries
from kohaku_lib.retrieval.planning.plan_rules import distinct_queries
from kohaku_lib.text.json_replies import last_json_value


class UnusableReplyError(ModelError):
    """A reply holds no queries; the same call would bring the same reply."""


def plan_by_chat(
    question: str, question_id: str, max_queries: int, chat: Callable[[str, str, str], str], *, variations: bool = False
) -> list[str]:
    """Return the question and up to `max_queries` - 1 queries of the model; with `max_queries` 1 it is not called.

    Each query stresses one thing, or, with `variations`, rewords the whole question.

    Raises UnusableReplyError where the reply holds no list of queries, and whatever `chat` raises.
    """
    if max_queries == 1:
        return [question]
    wording = question_variations if variations else search_queries
    user = wording.USER.format(count=max_queries - 1, question=question)
    return distinct_queries([question, *parse_queries(chat(wording.SYSTEM, user, question_id))], max_queries)


def parse_queries(reply: str) -> list[str]:
    r"""Return the queries in a model's reply: the last JSON object with "queries", else the last array of texts.

    Thinking, prose and code fences environment it do not matter. Raises UnusableReplyError where there is neither.

    >>> parse_queries('<think>{"queries": []}</think>Sure: ```json\n{"queries": ["GPT-3 energy", "GPT-3 MWh"]}\n```')
    ['GPT-3 energy', 'GPT-3 MWh']
    """
    found = last_json_value(reply, lambda value: isinstance(value, dict) and _is_texts(value.get("queries")))
    queries = found["queries"] if found else last_json_value(reply, _is_texts)
    if queries is None:
        msg = f'a planner must reply {{"queries": [...]}}, got {reply[:80]!r}; try another planner.model'
        raise UnusableReplyError(msg)
    return [query.strip() for query in queries if query.strip()]


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)

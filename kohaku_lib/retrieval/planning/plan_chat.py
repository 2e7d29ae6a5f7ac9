"""Plans queries with a chat model; tolerant of the reply's format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kohaku_lib.errors import ModelError
from kohaku_lib.prompts import question_variations, search_queries
from kohaku_lib.retrieval.planning.plan_rules import distinct_queries
from kohaku_lib.text.json_replies import last_json_value


class UnusableReplyError(ModelError):
    """A reply without usable content; a retry would return the same reply."""


def plan_by_chat(
    question: str, question_id: str, max_queries: int, chat: Callable[[str, str, str], str], *, variations: bool = False
) -> list[str]:
    """Return the question and up to `max_queries` - 1 queries of the model, which is not called for `max_queries` 1.

    Each query covers one aspect or, with `variations`, rewords the whole question.

    Raises:
        UnusableReplyError: The reply contains no list of queries.
    """
    if max_queries == 1:
        return [question]
    wording = question_variations if variations else search_queries
    user = wording.USER.format(count=max_queries - 1, question=question)
    return distinct_queries([question, *parse_queries(chat(wording.SYSTEM, user, question_id))], max_queries)


def parse_queries(reply: str) -> list[str]:
    r"""Return the queries in a model's reply: the last JSON object with "queries", else the last array of texts.

    Reasoning, prose and code fences around it are ignored.

    Raises:
        UnusableReplyError: The reply contains neither.

    >>> parse_queries('<think>{"queries": []}</think>Sure: ```json\n{"queries": ["GPT-3 energy", "GPT-3 MWh"]}\n```')
    ['GPT-3 energy', 'GPT-3 MWh']
    """
    reply_json = last_json_value(reply, lambda value: isinstance(value, dict) and _is_texts(value.get("queries")))
    queries = reply_json["queries"] if reply_json else last_json_value(reply, _is_texts)
    if queries is None:
        msg = f'a planner must reply {{"queries": [...]}}, got {reply[:80]!r}; try another planner.model'
        raise UnusableReplyError(msg)
    return [query.strip() for query in queries if query.strip()]


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)

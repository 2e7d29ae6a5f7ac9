"""One question to its answer: deeper retrieval after a blank one, a shorter context after an overflow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal

from kohaku_lib.answering.answerer import blank_answer, is_blank_answer
from kohaku_lib.llm import ContextOverflowError
from kohaku_lib.tables import Snippet, StructuredAnswer

OVERFLOW = "context_overflow"
_MOST_OVERFLOWS = 5
_PROMPT_CHARS = 3000  # of the rules and the question around the snippets
_SAFETY = 0.95  # tokens are not spread evenly over the text

Ask = Callable[[Sequence[Snippet]], "Asked"]
Deepen = Callable[[int], Sequence[Snippet]]


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer that cites what it was shown, and how many documents it cited beside that."""

    answer: StructuredAnswer
    dropped_refs: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer that counts, the snippets it was made of, and every attempt on the way, as JSON objects."""

    answer: StructuredAnswer
    snippets: tuple[Snippet, ...] = ()
    attempts: tuple[dict[str, Any], ...] = ()
    dropped_refs: int = 0
    replayed: bool = False  # no attempt was paid for


def answer_with_retries(
    ask: Ask,
    first: Sequence[Snippet],
    deepen: Deepen | None,
    max_retries: int,
    deepening: Literal["linear", "geometric"],
) -> Outcome:
    """Return the first answer that is not blank, over `first` and then up to `max_retries` deeper contexts.

    Attempt a has depth a + 1, or 2^a where `deepening` is geometric. It ends early where a deeper context brings
    no new snippet or the context overflowed; all blank gives the last blank answer.
    """
    seen: set[str] = set()
    attempts: list[dict[str, Any]] = []
    replayed = True
    asked, used = Asked(blank_answer()), tuple(first)
    for attempt in range(max_retries + 1 if deepen else 1):
        depth = depth_of(attempt, deepening)
        snippets = deepen(depth) if deepen and attempt else first
        if attempt and seen.issuperset(snippet.node_id for snippet in snippets):
            break
        seen.update(snippet.node_id for snippet in snippets)
        asked, used, overflows = ask_within_limit(ask, snippets)
        replayed = replayed and asked.answer.replayed
        attempts.append(_traced(asked, depth, len(snippets), len(used)) | _tried(overflows, asked))
        if not is_blank_answer(asked.answer) or len(used) < len(snippets):
            break
    return Outcome(asked.answer, used, tuple(attempts), asked.dropped_refs, replayed)


def ask_within_limit(ask: Ask, snippets: Sequence[Snippet]) -> tuple[Asked, tuple[Snippet, ...], tuple[int, ...]]:
    """Return the answer over as many of the best `snippets` as fit the model, those snippets, and what did not fit.

    After an overflow the lowest snippets are dropped: by the token counts that the server tells where it does, else
    the lower half, five times at most. Then the answer is blank with the error "context_overflow" and no snippet was
    used. What did not fit is given as the number of snippets of each such attempt.
    """
    used, overflows = tuple(snippets), []
    for _ in range(_MOST_OVERFLOWS + 1):
        try:
            return ask(used), used, tuple(overflows)
        except ContextOverflowError as error:
            measured = 0 if overflows else fitting_count(used, error.limit_tokens, error.asked_tokens)
            overflows.append(len(used))
            if len(used) < 2:
                break
            used = used[: measured or len(used) // 2]
    return Asked(blank_answer(OVERFLOW)), (), tuple(overflows)


def fitting_count(snippets: Sequence[Snippet], limit_tokens: int | None, asked_tokens: int | None) -> int:
    """Return how many of the best `snippets` fit `limit_tokens`, where all took `asked_tokens` with the prompt.

    Without the latter a token counts for four characters. 0 where this cannot be told: the limit is unknown, would
    not be exceeded by that count, or leaves no room for a snippet.

    >>> texts = [Snippet(f"d:p{rank}", "d", "D", 1, "x" * 1000, rank, 1.0) for rank in range(1, 11)]
    >>> fitting_count(texts, 2000, 3250), fitting_count(texts, None, None)
    (4, 0)
    """
    chars = [len(snippet.text) for snippet in snippets]
    total = sum(chars) + _PROMPT_CHARS
    asked = asked_tokens or total / 4
    if limit_tokens is None or asked <= limit_tokens:
        return 0
    allowed = _SAFETY * total * limit_tokens / asked - _PROMPT_CHARS
    return sum(so_far <= allowed for so_far in accumulate(chars))


def depth_of(attempt: int, deepening: Literal["linear", "geometric"]) -> int:
    """Return the factor on top_k of the attempt `attempt` (from 0).

    >>> [depth_of(attempt, "linear") for attempt in range(4)], [depth_of(attempt, "geometric") for attempt in range(4)]
    ([1, 2, 3, 4], [1, 2, 4, 8])
    """
    return attempt + 1 if deepening == "linear" else 2**attempt


def _traced(asked: Asked, depth: int, offered: int, used: int) -> dict[str, Any]:
    return {
        "depth": depth,
        "snippets": used,
        "overflow_dropped": offered - used,
        "answer_value": asked.answer.answer_value,
        "ref_id": list(asked.answer.ref_id),
        "dropped_refs": asked.dropped_refs,
        "error": asked.answer.error,
    }


def _tried(overflows: Sequence[int], asked: Asked) -> dict[str, Any]:
    """What only some attempts have: others before it that did not fit, another model that answered, a warning."""
    told: dict[str, Any] = {"overflows": list(overflows)} if overflows else {}
    doubts = {"answered_by": asked.answer.answered_by, "warning": asked.answer.warning}
    return told | {name: value for name, value in doubts.items() if value}

"""Answer one question with retries: deeper retrieval after a blank answer, a shorter context after an overflow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any, Literal

from kohaku_lib.answering.answerer import blank_answer, is_blank_answer
from kohaku_lib.answering.citing.source import FoundBy
from kohaku_lib.llm import ContextOverflowError
from kohaku_lib.tables import Snippet, StructuredAnswer
from kohaku_lib.text.token_estimates import CHARACTERS_PER_TOKEN

OVERFLOW = "context_overflow"
_MAX_OVERFLOWS = 5
_PROMPT_CHARS = 3000  # of instructions and question around the snippets
_SAFETY_MARGIN = 0.95  # token density varies over the text

AskModel = Callable[[Sequence[Snippet]], "CheckedAnswer"]
Deepen = Callable[[int], Sequence[Snippet]]
Narrow = Callable[[int, int], Sequence[Snippet]]  # (depth, results less) -> the snippets of such a search
Overflow = Literal["measured", "minus_one", "minus_two"]


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer restricted to the documents of its prompt, and the number of other references that were dropped.

    `source_found_by` tells by what the cited document was found where the answer cited none or another one; by its words
    alone the document only comes closest. `is_doubted` tells that no excerpt states the value, `is_uncovered` that too little
    of the question was found for an answer.
    """

    answer: StructuredAnswer
    dropped_refs: int = 0
    source_found_by: FoundBy | None = None
    is_doubted: bool = False
    is_uncovered: bool = False


@dataclass(frozen=True, slots=True)
class AnswerTrace:
    """The final answer, the snippets it is based on, and a JSON-serialisable record of every attempt."""

    answer: StructuredAnswer
    snippets: tuple[Snippet, ...] = ()
    attempts: tuple[dict[str, Any], ...] = ()
    dropped_refs: int = 0
    replayed: bool = False  # all attempts came from the ledger
    source_found_by: FoundBy | None = None
    is_doubted: bool = False  # no excerpt states the value


def answer_with_retries(
    ask: AskModel,
    first: Sequence[Snippet],
    deepen: Deepen | None,
    max_retries: int,
    deepening: Literal["linear", "geometric"],
    overflow: Overflow = "measured",
    narrow: Narrow | None = None,
) -> AnswerTrace:
    """Return the first answer that has a value and a source, from `first` and then up to `max_retries` deeper contexts.

    Attempt a has depth a + 1, or 2^a if `deepening` is geometric. Retries end early if a deeper context adds no new
    snippet or overflows the model's context, which `overflow` then cuts; `narrow` searches for fewer results. If no attempt
    has both, the first one with a value is returned, else the last one.
    """
    seen_ids: set[str] = set()
    attempts: list[dict[str, Any]] = []
    replayed = True
    kept: tuple[CheckedAnswer, tuple[Snippet, ...]] | None = None
    for attempt in range(max_retries + 1 if deepen else 1):
        depth = depth_at(attempt, deepening)
        snippets = deepen(depth) if deepen and attempt else first
        if attempt and seen_ids.issuperset(snippet.node_id for snippet in snippets):
            break
        seen_ids.update(snippet.node_id for snippet in snippets)
        search = partial(narrow, depth) if narrow else None
        checked, used_snippets, overflows = ask_within_limit(ask, snippets, overflow, search)
        replayed = replayed and checked.answer.replayed
        attempts.append(
            _trace_attempt(checked, depth, len(snippets), len(used_snippets)) | _optional_fields(overflows, checked)
        )
        is_sourced = not is_blank_answer(checked.answer) and checked.source_found_by != "words"
        if is_sourced or kept is None or is_blank_answer(kept[0].answer):
            kept = checked, used_snippets
        if is_sourced or len(used_snippets) < len(snippets):
            break
    assert kept is not None  # there is one attempt at least
    checked, used_snippets = kept
    return AnswerTrace(
        checked.answer,
        used_snippets,
        tuple(attempts),
        checked.dropped_refs,
        replayed,
        checked.source_found_by,
        is_doubted=checked.is_doubted,
    )


def failed_outcome(error: str, snippets: Sequence[Snippet]) -> AnswerTrace:
    """Return the outcome of a call over `snippets` that failed with `error`: one attempt, and a blank answer."""
    checked = CheckedAnswer(blank_answer(error))
    return AnswerTrace(checked.answer, tuple(snippets), (_trace_attempt(checked, 1, len(snippets), len(snippets)),))


def ask_within_limit(
    ask: AskModel,
    snippets: Sequence[Snippet],
    overflow: Overflow = "measured",
    search: Callable[[int], Sequence[Snippet]] | None = None,
) -> tuple[CheckedAnswer, tuple[Snippet, ...], tuple[int, ...]]:
    """Return the answer from as many of the best `snippets` as fit the model, those snippets, and the failed attempts.

    After an overflow the lowest-ranked snippets are dropped, see `kept_after_overflow`; "minus_one" and "minus_two" take what
    `search` finds with so many results less, where that is fewer snippets. If none may be left, the answer is blank with the
    error "context_overflow" and no snippets. Failed attempts are given as their numbers of snippets.
    """
    used, overflows = tuple(snippets), []
    while True:
        try:
            return ask(used), used, tuple(overflows)
        except ContextOverflowError as error:
            kept = kept_after_overflow(used, error, len(overflows), overflow)
            overflows.append(len(used))
            if not kept:
                return CheckedAnswer(blank_answer(OVERFLOW)), (), tuple(overflows)
            less = {"minus_one": len(overflows), "minus_two": 2}.get(overflow)
            found = tuple(search(less)) if search and less else ()
            used = found if 0 < len(found) < len(used) else used[:kept]


def kept_after_overflow(
    used: Sequence[Snippet], error: ContextOverflowError, earlier: int, overflow: Overflow = "measured"
) -> int:
    """Return how many of the best snippets to ask with after an overflow that `earlier` others preceded; 0 to give up.

    "measured" goes by the token counts in the server's error if present, otherwise to the upper half, five times at
    most; "minus_one" drops one snippet each time, "minus_two" two of them once. A single snippet is never dropped.

    >>> texts = [Snippet(f"d:p{rank}", "d", "D", 1, "text", rank, 1.0) for rank in range(1, 9)]
    >>> [kept_after_overflow(texts, ContextOverflowError("long"), 0, way) for way in ("measured", "minus_one", "minus_two")]
    [4, 7, 6]
    """
    if len(used) < 2:
        return 0
    if overflow == "minus_one":
        return len(used) - 1
    if overflow == "minus_two":
        return 0 if earlier else max(1, len(used) - 2)
    if earlier == _MAX_OVERFLOWS:
        return 0
    fitting = 0 if earlier else fitting_count(used, error.limit_tokens, error.prompt_tokens)
    return fitting or len(used) // 2


def fitting_count(snippets: Sequence[Snippet], limit_tokens: int | None, prompt_tokens: int | None) -> int:
    """Return how many of the best `snippets` fit `limit_tokens`, given that all of them took `prompt_tokens` with the prompt.

    Without `prompt_tokens`, a token is estimated as four characters. Returns 0 if the number cannot be estimated: the
    limit is unknown, is not exceeded by that count, or leaves no room for a snippet.

    >>> texts = [Snippet(f"d:p{rank}", "d", "D", 1, "x" * 1000, rank, 1.0) for rank in range(1, 11)]
    >>> fitting_count(texts, 2000, 3250), fitting_count(texts, None, None)
    (4, 0)
    """
    chars = [len(snippet.text) for snippet in snippets]
    total = sum(chars) + _PROMPT_CHARS
    tokens = prompt_tokens or total / CHARACTERS_PER_TOKEN
    if limit_tokens is None or tokens <= limit_tokens:
        return 0
    allowed = _SAFETY_MARGIN * total * limit_tokens / tokens - _PROMPT_CHARS
    return sum(so_far <= allowed for so_far in accumulate(chars))


def depth_at(attempt: int, deepening: Literal["linear", "geometric"]) -> int:
    """Return the multiple of top_k for attempt `attempt` (from 0).

    >>> [depth_at(attempt, "linear") for attempt in range(4)], [depth_at(attempt, "geometric") for attempt in range(4)]
    ([1, 2, 3, 4], [1, 2, 4, 8])
    """
    return attempt + 1 if deepening == "linear" else 2**attempt


def _trace_attempt(checked: CheckedAnswer, depth: int, offered: int, used: int) -> dict[str, Any]:
    return {
        "depth": depth,
        "snippets": used,
        "overflow_dropped": offered - used,
        "answer_value": checked.answer.answer_value,
        "ref_id": list(checked.answer.ref_id),
        "dropped_refs": checked.dropped_refs,
        "error": checked.answer.error,
    }


def _optional_fields(overflows: Sequence[int], checked: CheckedAnswer) -> dict[str, Any]:
    """Return the optional fields of an attempt: previous overflows, a fallback model, a warning, a repair, no coverage."""
    fields: dict[str, Any] = {"overflows": list(overflows)} if overflows else {}
    optional = {
        "fallback": checked.answer.written_by,
        "warning": checked.answer.warning,
        "source_found_by": checked.source_found_by,
        "doubted": checked.is_doubted,
        "uncovered": checked.is_uncovered,
    }
    return fields | {name: value for name, value in optional.items() if value}

"""Why the answer to a question changed: what differs between two states of the project, from settings to score."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from kohaku_lib.evaluation.changes.context_changes import SnippetMove, Support, find_supports, snippet_moves
from kohaku_lib.evaluation.changes.question_trace import QuestionTrace

_CAUSES = ("code", "settings", "documents", "question", "plan")
_MOST_CAUSES = 4
STEPS = ("code", "settings", "documents", "question", "plan", "context", "prompt", "reply", "answer", "vote", "score")


@dataclass(frozen=True, slots=True)
class Change:
    """One difference in a step: its subject, and both sides as plain values (None if absent)."""

    step: str
    of: str
    first: Any
    second: Any


@dataclass(frozen=True, slots=True)
class QuestionChanges:
    """All differences by step of the pipeline, the moves of snippets, the supports; and what could not be compared.

    `same` are the comparable steps that do not differ, `ends` the two answers in short form, and `attempts` the
    attempts of each run with their depth. Prompts are rebuilt from the stored contexts: `asked` is whether the call
    ledger has a call with exactly that prompt, for both sides, None if unknown. `not_kept` are the steps that cannot
    be compared, with the reason.
    """

    id: str
    question: str | None
    changes: tuple[Change, ...]
    snippets: tuple[SnippetMove, ...]
    supports: tuple[Support, ...]
    prompt_diff: tuple[str, ...]
    same: tuple[str, ...]
    not_kept: Mapping[str, str]
    ends: tuple[str, str]
    attempts: tuple[tuple[str, ...], tuple[str, ...]]
    asked: tuple[bool | None, bool | None]


def why_changed(changes: QuestionChanges) -> str:
    """Return one sentence on the upstream differences, their effect on the context, and the change of the answer."""
    causes = [f"{change.step} {change.of.partition(' (')[0]}" for change in changes.changes if change.step in _CAUSES]
    more = f" and {len(causes) - _MOST_CAUSES} more" if len(causes) > _MOST_CAUSES else ""
    cause = ", ".join(causes[:_MOST_CAUSES]) + more if causes else "nothing upstream that is stored for both sides"
    parts = [f"{cause} differ{'' if len(causes) > 1 else 's'}"]
    lost_count = sum(move.second_rank is None for move in changes.snippets)
    new_count = sum(move.first_rank is None for move in changes.snippets)
    if lost_count or new_count:
        parts.append(f"{lost_count} snippets left the context and {new_count} came")
    sides_without_quote = (
        []
        if "context" in changes.not_kept
        else [one.side for one in changes.supports if one.own_rank and not one.other_rank]
    )
    parts += [f"the quote of the {side} answer is in its own context only" for side in sides_without_quote]
    parts.append("the answer is the same" if changes.ends[0] == changes.ends[1] else " became ".join(changes.ends))
    return "; ".join(parts) + "."


def compare_traces(first: QuestionTrace, second: QuestionTrace) -> QuestionChanges:
    """Return the differences between two traces of one question.

    >>> trace = QuestionTrace("q", None, None, None, None, None, None, None, {"answer_value": "4", "ref_id": []}, None)
    >>> from dataclasses import replace
    >>> changed = compare_traces(trace, replace(trace, vote={"answer_value": "5", "ref_id": []}))
    >>> [(change.step, change.of, change.first, change.second) for change in changed.changes]
    [('vote', 'answer_value', '4', '5')]
    """
    not_kept = _missing_steps(first, second)
    moves = () if "context" in not_kept else tuple(snippet_moves(first.snippets or (), second.snippets or ()))
    prompts = "" if first.prompt is None else first.prompt.text, "" if second.prompt is None else second.prompt.text
    changes = [change for step, find in _FINDERS.items() if step not in not_kept for change in find(first, second)]
    differing = {change.step for change in changes}
    if any(move.first_rank != move.second_rank or move.is_reworded for move in moves):
        differing.add("context")
    diff = () if "prompt" in not_kept else tuple(_line_diff(*prompts))
    if diff:
        differing.add("prompt")
    return QuestionChanges(
        first.id,
        (first.question_row or second.question_row or first.vote or second.vote or {}).get("question"),
        tuple(changes),
        moves,
        (*find_supports("first", first, second), *find_supports("second", second, first)),
        diff,
        tuple(step for step in STEPS if step not in differing and step not in not_kept),
        not_kept,
        (_answer_summary(first), _answer_summary(second)),
        (tuple(_attempt_lines(first)), tuple(_attempt_lines(second))),
        (_was_asked(first), _was_asked(second)),
    )


def _was_asked(trace: QuestionTrace) -> bool | None:
    return None if trace.prompt is None else trace.prompt.called


def _answer_summary(trace: QuestionTrace) -> str:
    if trace.vote is None:
        return "no answer"
    score = (trace.scores or {}).get("wattbot")
    refs = ", ".join(trace.vote["ref_id"] or ())
    return f"{trace.vote['answer_value']}{f' [{refs}]' if refs else ''}" + (
        f", score {score:g}" if score is not None else ""
    )


def _attempt_lines(trace: QuestionTrace) -> Iterator[str]:
    for row, attempts in zip(trace.runs or (), trace.attempts, strict=True):
        parts = (f"depth {one['depth']}, {one['snippets']} snippets: {one['answer_value']}" for one in attempts)
        yield f"{row['run_label']}: {'; '.join(parts)}"


def _missing_steps(first: QuestionTrace, second: QuestionTrace) -> dict[str, str]:
    """Return why a step cannot be compared, by step."""
    missing: dict[str, str] = {}
    for step, part in _PARTS.items():
        sides = [side for side, trace in (("first", first), ("second", second)) if getattr(trace, part) is None]
        if sides:
            missing[step] = f"not stored for the {' and the '.join(sides)}"
    answerer = {first.answerer, second.answerer}
    if first.prompt is None and second.prompt is None and answerer <= {"reader", "replay"}:
        missing["prompt"] = "there is none: no chat model answered"
    if "reply" not in missing and not any(row["raw_response"] for row in (*(first.runs or ()), *(second.runs or ()))):
        missing["reply"] = "there is none: no model was called"
    return missing


def _code_changes(first: QuestionTrace, second: QuestionTrace) -> Iterator[Change]:
    one, other = first.stages or {}, second.stages or {}
    for stage in dict.fromkeys([*one, *other]):
        tags = one.get(stage, {}).get("code"), other.get(stage, {}).get("code")
        if tags[0] != tags[1]:
            yield Change("code", stage, *tags)


def _setting_changes(first: QuestionTrace, second: QuestionTrace) -> Iterator[Change]:
    sides = [{stage: value["settings"] for stage, value in (trace.stages or {}).items()} for trace in (first, second)]
    readers: dict[str, list[str]] = {}
    values_by_key: dict[str, tuple[Any, Any]] = {}
    for stage in dict.fromkeys([*sides[0], *sides[1]]):
        one, other = (side.get(stage, {}) for side in sides)
        for key in dict.fromkeys([*one, *other]):
            if one.get(key) != other.get(key):
                values_by_key[key] = one.get(key), other.get(key)
                readers.setdefault(key, []).append(stage)
    for key, (one, other) in values_by_key.items():
        yield Change("settings", f"{key} (read by {', '.join(readers[key])})", one, other)


def _document_changes(first: QuestionTrace, second: QuestionTrace) -> Iterator[Change]:
    one, other = first.documents or {}, second.documents or {}
    for name in sorted({*one, *other}):
        if one.get(name) != other.get(name):
            yield Change("documents", name, _short_digest(one.get(name)), _short_digest(other.get(name)))


def _question_changes(first: QuestionTrace, second: QuestionTrace) -> Iterator[Change]:
    yield from _field_changes("question", ("question", "answer_unit"), first.question_row, second.question_row)


def _plan_changes(first: QuestionTrace, second: QuestionTrace) -> Iterator[Change]:
    one, other = first.plan or {}, second.plan or {}
    for number, queries in enumerate(zip_longest(one.get("queries", ()), other.get("queries", ())), start=1):
        if queries[0] != queries[1]:
            yield Change("plan", f"query {number}", *(None if query is None else query["text"] for query in queries))
    yield from _field_changes("plan", [key for key in {**one, **other} if key != "queries"], one, other)


def _reply_changes(first: QuestionTrace, second: QuestionTrace) -> Iterator[Change]:
    yield from _run_changes("reply", ("raw_response",), first, second)


def _answer_changes(first: QuestionTrace, second: QuestionTrace) -> Iterator[Change]:
    yield from _run_changes("answer", ("answer_value", "ref_id", "attempts", "dropped_refs", "error"), first, second)


def _vote_changes(first: QuestionTrace, second: QuestionTrace) -> Iterator[Change]:
    ensemble_columns = () if first.runs is None or second.runs is None else ("agreement", "probability")
    yield from _field_changes("vote", ("answer_value", "ref_id", *ensemble_columns), first.vote, second.vote)


def _score_changes(first: QuestionTrace, second: QuestionTrace) -> Iterator[Change]:
    yield from _field_changes(
        "score", sorted({*(first.scores or {}), *(second.scores or {})}), first.scores, second.scores
    )


def _run_changes(step: str, names: Sequence[str], first: QuestionTrace, second: QuestionTrace) -> Iterator[Change]:
    """Yield the changes of runs paired by number; for an unpaired run only the first field is listed."""
    for number, (one, other) in enumerate(zip_longest(first.runs or (), second.runs or ())):
        names_compared = names if one and other else names[:1]
        for change in _field_changes(step, names_compared, one, other):
            yield Change(step, f"run {number} {change.of}", change.first, change.second)


def _field_changes(
    step: str, names: Sequence[str], one: Mapping[str, Any] | None, other: Mapping[str, Any] | None
) -> Iterator[Change]:
    for name in names:
        values = (one or {}).get(name), (other or {}).get(name)
        if values[0] != values[1]:
            yield Change(step, name, *values)


def _line_diff(first: str, second: str) -> Iterator[str]:
    lines = difflib.unified_diff(first.splitlines(), second.splitlines(), "first", "second", lineterm="", n=0)
    return iter(list(lines)[2:])


def _short_digest(digest: str | None) -> str | None:
    return None if digest is None else digest[:12]


_PARTS = {
    "code": "stages",
    "settings": "stages",
    "documents": "documents",
    "question": "question_row",
    "plan": "plan",
    "context": "snippets",
    "prompt": "prompt",
    "reply": "runs",
    "answer": "runs",
    "vote": "vote",
    "score": "scores",
}
_FINDERS = {
    "code": _code_changes,
    "settings": _setting_changes,
    "documents": _document_changes,
    "question": _question_changes,
    "plan": _plan_changes,
    "reply": _reply_changes,
    "answer": _answer_changes,
    "vote": _vote_changes,
    "score": _score_changes,
}

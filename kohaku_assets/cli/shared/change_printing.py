"""Prints why an answer changed: the differences from the settings and snippets to the vote."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from kohaku_assets.cli.shared.output import emit, print_table

if TYPE_CHECKING:
    from kohaku_lib.evaluation import QuestionChanges, SnippetMove

MAX_CHARS = 160  # of a text in a table
MAX_PROMPT_LINES = 40
_SOURCES = ("first", "second")
_AFTER = ("reply", "answer", "vote", "score")


def print_changes(changes: QuestionChanges, names: tuple[str, str]) -> None:
    """Print the changes, upstream first; `names` are those of the two sources."""
    from kohaku_lib.evaluation import why_changed

    emit(f"{changes.id}: {changes.question or 'a question that neither source has'}")
    for side, name, end in zip(_SOURCES, names, changes.ends, strict=True):
        emit(f"{side + ':':8}{end} ({name})")
    emit(f"Why: {why_changed(changes)}\n")
    _print_steps("Upstream", changes, [step for step in _changed_steps(changes) if step not in _AFTER])
    _print_snippets(changes)
    if changes.prompt_diff:
        emit(f"Prompt, {len(changes.prompt_diff)} lines of difference:")
        for line in changes.prompt_diff[:MAX_PROMPT_LINES]:
            emit(f"  {line[:MAX_CHARS]}")
    for side, has_call in zip(_SOURCES, changes.asked, strict=True):
        if has_call is not None:
            has = "has a" if has_call else "has no"
            emit(f"The ledger {has} call with the prompt of the {side}, rebuilt from its first context")
    _print_steps("Answers", changes, _AFTER)
    _print_attempts(changes)
    for line in _support_lines(changes):
        emit(line)
    _print_rest(changes)


def _changed_steps(changes: QuestionChanges) -> list[str]:
    return list(dict.fromkeys(change.step for change in changes.changes))


def _print_steps(title: str, changes: QuestionChanges, steps: Sequence[str]) -> None:
    step_changes = [change for change in changes.changes if change.step in steps]
    rows = [(change.step, change.of, _short_json(change.first), _short_json(change.second)) for change in step_changes]
    if rows:
        print_table(title, ("step", "of", *_SOURCES), rows)


def _print_snippets(changes: QuestionChanges) -> None:
    unmoved = [move for move in changes.snippets if move.first_rank == move.second_rank and not move.is_reworded]
    moves = [move for move in changes.snippets if move not in unmoved]
    if not moves:
        return
    rows = [
        (
            _rank_text(move.first_rank),
            _rank_text(move.second_rank),
            _describe_move(move),
            move.node_id,
            move.page,
            _short_json(move.text, 70),
        )
        for move in sorted(moves, key=lambda move: move.first_rank or move.second_rank or 0)
    ]
    removed, added = (sum(getattr(move, side) is None for move in moves) for side in ("second_rank", "first_rank"))
    rest = len(moves) - removed - added
    title = f"Context: {removed} snippets out, {added} in, {rest} moved or reworded, {len(unmoved)} as before"
    print_table(title, (*_SOURCES, "", "node", "page", "text"), rows)


def _print_attempts(changes: QuestionChanges) -> None:
    if changes.attempts[0] == changes.attempts[1] or not any(
        "; " in line for lines in changes.attempts for line in lines
    ):
        return
    for side, lines in zip(_SOURCES, changes.attempts, strict=True):
        for line in lines:
            emit(f"Attempts of the {side}, {line}")


def _support_lines(changes: QuestionChanges) -> Iterator[str]:
    for support in changes.supports:
        other = _SOURCES[support.side == "first"]
        yield f"\nThe answer of the {support.side} ({support.run}) quotes {support.node_id}: “{_short_json(support.quote, 400)}”"
        if "context" in changes.not_kept:
            yield "  the contexts are not available for both sources, so its position is unknown"
            continue
        own = f"snippet {support.own_rank}" if support.own_rank else "a deeper context of a later attempt, not stored"
        there = f"snippet {support.other_rank}" if support.other_rank else "not in it"
        yield f"  in its own context: {own}; in the first context of the {other}: {there}"


def _print_rest(changes: QuestionChanges) -> None:
    if changes.same:
        emit(f"\nThe same: {', '.join(changes.same)}")
    for why in dict.fromkeys(changes.not_kept.values()):
        steps = [step for step, reason in changes.not_kept.items() if reason == why]
        emit(f"Not compared: {', '.join(steps)} ({why})")


def _describe_move(move: SnippetMove) -> str:
    if move.second_rank is None:
        return "out"
    if move.first_rank is None:
        return "in"
    return "reworded" if move.is_reworded else "moved"


def _rank_text(rank: int | None) -> str:
    return "–" if rank is None else str(rank)


def _short_json(value: Any, most: int = MAX_CHARS) -> str | None:
    if value is None:
        return None
    text = " ".join((value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)).split())
    return text if len(text) <= most else f"{text[: most - 1]}…"

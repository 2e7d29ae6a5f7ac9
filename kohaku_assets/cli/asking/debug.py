"""`kohaku debug`: trace how one answer was computed, attempt by attempt."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.shared.options import json_option, with_settings
from kohaku_assets.cli.shared.output import emit, print_json, print_table, say
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.operations.debugging import AttemptTrace, CallTrace, DebugTrace
    from kohaku_assets.pipeline.project import Project


MAX_SNIPPETS = 12  # listed per attempt


TEXT_CHARS = 90


@click.command("debug")
@click.argument("question")
@click.option("--unit", help="Unit of the answer.")
@click.option("--prompts", is_flag=True, help="Print prompts and replies in full.")
@verb("kohaku debug k01")
@json_option
@with_settings
def debug_command(project: Project, question: str, unit: str | None, prompts: bool, as_json: bool) -> None:
    """Answer QUESTION, an id of corpus.questions or a text, and show each step of every attempt.

    Shows the plan; the results and timings of each retrieval depth; per attempt the new snippets, the prompt, the
    reply, the parsed answer, tokens, dollars and seconds; and finally which quotes of the answer were found and state
    its value.
    """
    from kohaku_assets.operations.debugging import debug_question

    trace = debug_question(project, question, unit)
    if as_json:
        print_json(_trace_json(trace))
        return
    _print_plan(trace)
    printed_prompts: set[str] = set()
    for number, attempt in enumerate(trace.attempts, start=1):
        _print_attempt(trace, number, attempt, printed_prompts)
        for call in attempt.calls:
            _print_call(call, in_full=prompts)
    _print_end(trace)


def _print_plan(trace: DebugTrace) -> None:
    emit(f"{trace.question.id}: {trace.question.text}")
    unit = f", unit {trace.question.unit}" if trace.question.unit else ""
    emit(f"index {trace.index_version}{unit}; planned by {trace.planner} in {trace.planning_s * 1e3:.0f} ms\n")
    rows = [(query.role, query.weight, query.text) for query in trace.plan.queries]
    print_table("Plan", ("role", "weight", "query"), rows)
    rows = [
        (depth, len(result.matches), len(result.snippets), f"{seconds * 1e3:.0f}", _timings(result.timings_ms))
        for depth, result, seconds in trace.retrievals
    ]
    print_table("Retrieval", ("depth", "ranked nodes", "snippets", "ms", "of which"), rows)


def _timings(timings: Any) -> str:
    return ", ".join(f"{name} {ms:.0f}" for name, ms in sorted(timings.items(), key=lambda item: -item[1])[:5])


def _print_attempt(trace: DebugTrace, number: int, attempt: AttemptTrace, printed_prompts: set[str]) -> None:
    new = [snippet for snippet in attempt.snippets if snippet.node_id not in printed_prompts]
    printed_prompts.update(snippet.node_id for snippet in new)
    rows = [
        (
            snippet.rank,
            snippet.node_id,
            snippet.page,
            f"{snippet.score:.3f}",
            " ".join(snippet.text.split())[:TEXT_CHARS],
        )
        for snippet in new[:MAX_SNIPPETS]
    ]
    more = f", of which {MAX_SNIPPETS} are shown" if len(new) > MAX_SNIPPETS else ""
    title = f"Attempt {number}: {len(attempt.snippets)} snippets, {len(new)} new{more}"
    print_table(title, ("rank", "node", "page", "score", "text"), rows)
    if attempt.answer is None:
        emit(f"failed after {attempt.seconds:.2f} s: {attempt.error}\n")
        return
    answer = attempt.answer
    confidence = "" if answer.confidence is None else f", confidence {answer.confidence:.2f}"
    emit(f"answer: {answer.answer_value} {list(answer.ref_id)}{confidence}, in {attempt.seconds * 1e3:.0f} ms")
    if answer.quote:
        emit(f"quote: {answer.quote}")
    emit(f"error: {answer.error}\n" if answer.error else "")


def _print_call(call: CallTrace, in_full: bool) -> None:
    paid = "from the ledger" if call.replayed else "sent to the server"
    figures = (
        ("tokens in", call.input_tokens),
        ("tokens out", call.output_tokens),
        ("US dollars", call.cost_usd),
        ("seconds", call.latency_s),
    )
    figures_text = ", ".join(f"{name} {'unknown' if figure is None else f'{figure:g}'}" for name, figure in figures)
    emit(f"call of {call.model} ({paid}): {figures_text}")
    prompt = f"{call.system}\n\n{call.user}"
    emit(prompt if in_full else f"  prompt of {len(prompt):,} characters; --prompts prints it")
    reply = call.reply if call.reply is not None else f"no reply: {call.error}"
    emit(f"  reply: {reply if in_full else ' '.join(reply.split())[:400]}\n")


def _print_end(trace: DebugTrace) -> None:
    row = trace.row
    columns = ("document_id", "node_id", "page", "quote_found", "supports_value", "quote")
    citations = [tuple(citation[name] for name in columns) for citation in row["citations"]]
    print_table(f"Answer: {row['answer_value']} ({row['answer']})", columns, citations)
    if row["dropped_refs"]:
        emit(f"{row['dropped_refs']} cited documents do not exist and were dropped")
    for attempt in json.loads(row["trace_json"])["attempts"]:
        if found_by := attempt.get("source_found_by"):
            emit(f"the cited document was found by the {found_by} of the answer")
        if attempt.get("uncovered"):
            emit(f"at depth {attempt['depth']} the passages cover too little of the question, and were not read")
        if attempt.get("of_another_year"):
            emit(f"{attempt['answer_value']} was dropped: its quote is of another year than the question")
    for problem in trace.problems:
        say(problem)


def _trace_json(trace: DebugTrace) -> dict[str, Any]:
    retrievals = [
        {"depth": depth, "seconds": seconds, "timings_ms": dict(result.timings_ms), "trace": result.trace}
        | {"matches": len(result.matches), "snippets": [asdict(snippet) for snippet in result.snippets]}
        for depth, result, seconds in trace.retrievals
    ]
    return {
        "question": asdict(trace.question),
        "index_version": trace.index_version,
        "plan": {"planner": trace.planner, "seconds": trace.planning_s, **asdict(trace.plan)},
        "retrievals": retrievals,
        "attempts": [asdict(attempt) for attempt in trace.attempts],
        "answer": trace.row,
        "problems": list(trace.problems),
    }

"""`kohaku ask`: answer one question from the published index."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import click

from kohaku_assets.cli.shared.options import filter_options, json_option, with_settings
from kohaku_assets.cli.shared.output import emit, print_json, say
from kohaku_assets.cli.shared.pin_notice import say_if_pinned
from kohaku_assets.cli.shared.terminal import one_line
from kohaku_assets.cli.shared.verb import verb
from kohaku_lib.text.table_rows import without_bars

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.index import SearchFilter
    from kohaku_lib.settings import LlmSettings


@click.command("ask")
@click.argument("question")
@click.option("--unit", help="Unit of the answer.")
@filter_options
@verb('kohaku ask "How much electricity did the machine room use in 2023?" --unit kWh')
@json_option
@with_settings
def ask_command(project: Project, question: str, unit: str | None, as_json: bool, **only: Any) -> None:
    """Answer QUESTION from the published index, citing documents, pages and quotes."""
    from kohaku_assets.cli.shared.explaining import say_failed_channels
    from kohaku_assets.operations.asking import ask
    from kohaku_lib.index import SearchFilter
    from kohaku_lib.values import is_blank

    where = SearchFilter(**only)
    row = ask(project, question, unit, where)
    say_if_pinned(project)
    if row["error"]:
        say(f"the answer is incomplete: {row['error']}")
    lost = json.loads(row["trace_json"]).get("lost_channels", {})
    say_failed_channels(lost)
    citations = [{name: c[name] for name in _CITED} for c in row["citations"]]
    llm, confidence = project.settings.llm, row["confidence"]
    if as_json:
        answer_json = {"question": question, "answer": row["answer"], "value": row["answer_value"]}
        answer_json |= {"answered_by": llm.provider, "confidence": confidence}
        print_json({**answer_json, "lost_channels": lost, "citations": citations})
        return
    emit(_with_unit(project, row))
    answerer = _answerer_name(llm)
    if is_blank(row["answer_value"]):
        if not row["error"]:
            say(f"{answerer} found no value; the nearest passages:")
            _say_nearest(project, question, where)
        return
    for citation in citations:
        emit(f"  {_citation_line(citation)}")
    emit(f"  answered by {answerer}; confidence {confidence_in_words(confidence)}")


def _with_unit(project: Project, row: dict[str, Any]) -> str:
    """Return the answer, with the unit of its quote or of its column where none was asked for."""
    from kohaku_assets.operations.asking import cited_text
    from kohaku_lib.answering.extractive.numbers.written_unit import with_written_unit
    from kohaku_lib.values import is_blank

    if not is_blank(row["answer_unit"]) or row["answer"] != row["answer_value"]:
        return row["answer"]
    if not row["citations"]:
        return row["answer"]
    first = row["citations"][0]
    return with_written_unit(row["answer"], first["quote"], cited_text(project, first["node_id"]))


def _answerer_name(llm: LlmSettings) -> str:
    from kohaku_lib.kinds import PROVIDERS

    kind = PROVIDERS.get(llm.provider)
    if kind.uses_chat:
        return llm.model
    return "a recorded run" if kind.is_recorded else "the built-in reader"


def confidence_in_words(confidence: float | None) -> str:
    """Return a confidence as a word with its number.

    >>> [confidence_in_words(confidence) for confidence in (0.797, 0.6, 0.2, None)]
    ['high (0.80)', 'medium (0.60)', 'low (0.20)', 'unknown']
    """
    from kohaku_lib.assistant.response.response import confidence_level

    if confidence is None:
        return "unknown"
    return f"{confidence_level(confidence)} ({confidence:.2f})"


NEAREST = 3  # passages shown where there is no answer


def _say_nearest(project: Project, question: str, where: SearchFilter) -> None:
    from kohaku_assets.operations.asking import search

    result, nodes = search(project, question, 3 * NEAREST, where)
    lines: dict[str, None] = {}  # distinct: a paragraph of one sentence is found twice
    for match in result.matches[: 3 * NEAREST]:
        node = nodes[match.node_id]
        page = f", page {node['page']}" if node["page"] else ""
        lines.setdefault(
            f"  [{one_line(unquote(match.document_id))}{page}] {one_line(without_bars(node['text']))[:200]}"
        )
    for line in list(lines)[:NEAREST]:
        say(line)


def _citation_line(citation: dict[str, Any]) -> str:
    page = f", page {citation['page']}" if citation["page"] else ""
    place, quote = f"[{one_line(unquote(citation['document_id']))}{page}]", citation["quote"]
    if quote is None:
        return place
    mark = "" if citation["quote_found"] else "(not found in the document) "
    return f"{place} {mark}{one_line(without_bars(quote))}{_support_note(citation)}"


def _support_note(citation: dict[str, Any]) -> str:
    if citation["converted_from"]:
        return f" (converted from {one_line(citation['converted_from'])})"
    return " (the quote does not state the value)" if citation["supports_value"] is False else ""


_CITED = ("document_id", "page", "quote", "quote_found", "supports_value", "converted_from")

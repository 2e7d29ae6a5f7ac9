"""`kohaku ask`: answer one question from the published index."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.shared.options import filter_options, json_option, with_settings
from kohaku_assets.cli.shared.output import emit, print_json, say
from kohaku_assets.cli.shared.terminal import one_line
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


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

    row = ask(project, question, unit, SearchFilter(**only))
    if row["error"]:
        say(f"the answer is incomplete: {row['error']}")
    elif is_blank(row["answer_value"]):
        say("the documents do not support an answer; 'kohaku search' shows the closest passages")
    lost = json.loads(row["trace_json"]).get("lost_channels", {})
    say_failed_channels(lost)
    citations = [{name: c[name] for name in ("document_id", "page", "quote", "verified")} for c in row["citations"]]
    if as_json:
        answer_json = {"question": question, "answer": row["answer"], "value": row["answer_value"]}
        print_json({**answer_json, "confidence": row["confidence"], "lost_channels": lost, "citations": citations})
        return
    emit(row["answer"])
    for citation in citations:
        emit(f"  {_citation_line(citation)}")


def _citation_line(citation: dict[str, Any]) -> str:
    page = f", page {citation['page']}" if citation["page"] else ""
    place, quote = f"[{citation['document_id']}{page}]", citation["quote"]
    if quote is None:
        return place
    mark = "" if citation["verified"] else "(unverified, not found in the document) "
    return f"{place} {mark}{one_line(quote)}"

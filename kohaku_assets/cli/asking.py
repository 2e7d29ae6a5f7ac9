"""Verbs that ask the published index: ask and search."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.common import emit, json_option, print_json, print_table, say, verb, with_settings
from kohaku_assets.cli.terminal import one_line

if TYPE_CHECKING:
    from kohaku_assets.project import Project
    from kohaku_lib.tables import Match


@click.command("ask")
@click.argument("question")
@click.option("--unit", help="The unit in which the answer is wanted.")
@verb('kohaku ask "How much electricity did the machine room use in 2023?" --unit kWh')
@json_option
@with_settings
def ask_command(project: Project, question: str, unit: str | None, as_json: bool) -> None:
    """Answer QUESTION from the published index, with the documents, pages and quotes it rests on."""
    from kohaku_assets.cli.explaining import say_lost
    from kohaku_assets.serving import ask
    from kohaku_lib.values import is_blank

    row = ask(project, question, unit)
    if row["error"]:
        say(f"the answer is incomplete: {row['error']}")
    elif is_blank(row["answer_value"]):
        say("the documents do not support an answer; 'kohaku search' shows what comes nearest")
    lost = json.loads(row["trace_json"]).get("lost_channels", {})
    say_lost(lost)
    citations = [{name: c[name] for name in ("document_id", "page", "quote", "verified")} for c in row["citations"]]
    if as_json:
        found = {"question": question, "answer": row["answer"], "value": row["answer_value"]}
        print_json({**found, "confidence": row["confidence"], "lost_channels": lost, "citations": citations})
        return
    emit(row["answer"])
    for citation in citations:
        emit(f"  {_citation_line(citation)}")


@click.command("search")
@click.argument("query")
@click.option("--top-k", type=click.IntRange(min=1), default=10, show_default=True, help="Nodes to list.")
@click.option("--document", "documents", multiple=True, metavar="ID", help="Only in this document; repeatable.")
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(("sentence", "paragraph")), help="Only nodes of this kind."
)
@click.option("--collection", "collections", multiple=True, help="Only where metadata.csv says so; repeatable.")
@click.option("--folder", "folders", multiple=True, help="Only beneath this folder of the documents; repeatable.")
@click.option(
    "--explain", is_flag=True, help="Show queries, ranks per channel, what was dropped, and the time of each step."
)
@verb('kohaku search "power usage effectiveness" --top-k 3')
@json_option
@with_settings
def search_command(project: Project, query: str, top_k: int, explain: bool, as_json: bool, **only: Any) -> None:
    """Rank the nodes of the published index for QUERY; no language model is asked."""
    from dataclasses import asdict

    from kohaku_assets.cli.explaining import print_explanation, print_images, say_what_changed
    from kohaku_assets.serving import search
    from kohaku_lib.index import SearchFilter

    result, texts = search(project, query, top_k, SearchFilter(**only))
    rows = [_search_row(match, texts[match.node_id]) for match in result.matches[:top_k]]
    say_what_changed(result)
    if as_json:
        more: dict[str, Any] = {"lost_channels": result.trace.get("failed_channels", {})}
        more |= {"trace": result.trace, "timings_ms": result.timings_ms} if explain else {}
        print_json({"query": query, "matches": rows, "images": [asdict(image) for image in result.images], **more})
        return
    columns = ("node", "page", "score", "text")
    print_table("", columns, [(r["node_id"], r["page"], r["score"], r["text"][:160]) for r in rows])
    if result.images:
        print_images(result)
    if explain:
        print_explanation(result)


def _search_row(match: Match, node: dict[str, Any]) -> dict[str, Any]:
    return {
        "node_id": match.node_id,
        "document_id": match.document_id,
        "kind": match.kind,
        "page": node["page"],
        "score": match.score,
        "text": node["text"],
    }


def _citation_line(citation: dict[str, Any]) -> str:
    page = f", page {citation['page']}" if citation["page"] else ""
    place, quote = f"[{citation['document_id']}{page}]", citation["quote"]
    if quote is None:
        return place
    mark = "" if citation["verified"] else "(unverified, not found in the document) "
    return f"{place} {mark}{one_line(quote)}"

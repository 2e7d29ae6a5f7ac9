"""`kohaku search`: rank the nodes of the published index, without a language model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.shared.options import filter_options, json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.tables import Match


@click.command("search")
@click.argument("query")
@click.option("--top-k", type=click.IntRange(min=1), default=10, show_default=True, help="How many to list.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(("sentence", "paragraph")),
    help="Only sentences, or only paragraphs.",
)
@filter_options
@click.option(
    "--explain", is_flag=True, help="Show queries, ranks per channel, what was left out, and the time of each step."
)
@verb('kohaku search "power usage effectiveness" --top-k 3')
@json_option
@with_settings
def search_command(project: Project, query: str, top_k: int, explain: bool, as_json: bool, **only: Any) -> None:
    """List the passages of the published index that fit QUERY best; calls no language model."""
    from dataclasses import asdict

    from kohaku_assets.cli.shared.explaining import print_explanation, print_images, say_notices
    from kohaku_assets.components.preflight import open_checked
    from kohaku_lib.index import SearchFilter
    from kohaku_lib.project.open_index import check_not_empty

    check_not_empty(query, "query", "search for")
    result, texts = open_checked(project, ()).ranking(query, top_k, SearchFilter(**only))
    rows = [_search_row(match, texts[match.node_id]) for match in result.matches[:top_k]]
    say_notices(result)
    if as_json:
        more: dict[str, Any] = {"lost_channels": result.trace.get("failed_channels", {})}
        more |= {"trace": result.trace, "timings_ms": result.timings_ms} if explain else {}
        print_json({"query": query, "matches": rows, "images": [asdict(image) for image in result.images], **more})
        return
    columns = ("node", "page", "score", "text")
    print_table("", columns, [(row["node_id"], row["page"], row["score"], _shown_text(row)) for row in rows])
    if result.images:
        print_images(result)
    if explain:
        print_explanation(result)


def _search_row(match: Match, node: dict[str, Any]) -> dict[str, Any]:
    from kohaku_lib.project.open_index import HIT_FIELDS

    return {**{name: node[name] for name in HIT_FIELDS}, "score": match.score}


def _shown_text(row: dict[str, Any]) -> str:
    """Return the beginning of a passage, or of its best sentence where that stands further behind, under its headings."""
    start = max(row["text"].find(row["best_sentence"] or ""), 0)
    is_far = start + len(row["best_sentence"] or "") > _MOST_CHARS
    text = f"… {row['text'][start:]}" if is_far else row["text"]
    others = f" [also in {', '.join(row['also_in'])}]" if row["also_in"] else ""
    return f"{row['heading']}: " * bool(row["heading"]) + text[:_MOST_CHARS] + others


_MOST_CHARS = 160

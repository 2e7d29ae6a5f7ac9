"""Prints the explanation of a search: queries, ranks per channel, dropped nodes, and the time of each step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kohaku_assets.cli.shared.output import emit, print_table, say
from kohaku_assets.cli.shared.terminal import one_line

if TYPE_CHECKING:
    from kohaku_lib.tables import RetrievalResult, Snippet

MAX_DROPPED = 20  # listed individually
_MOST_SHOWN = 300  # characters of a passage


def say_passage(snippet: Snippet) -> None:
    """Print the best passage, at most 300 characters, on standard error while a chat model writes."""
    page = "" if snippet.page is None else f", page {snippet.page}"
    say(f"  [{snippet.document_id}{page}] {one_line(snippet.text)[:_MOST_SHOWN]}")


def say_notices(result: RetrievalResult) -> None:
    """Report on standard error the spelling corrections of the query and the failed channels."""
    trace = result.trace
    if "corrections" in trace:
        changes = ", ".join(f"{word!r} to {other!r}" for word, other in trace["corrections"])
        say(f"corrected {changes}; the original query was searched too")
    say_failed_channels(trace.get("failed_channels", {}))


def say_failed_channels(channels: Mapping[str, str]) -> None:
    """Report on standard error which channels of a search contributed nothing, and why."""
    for channel, why in channels.items():
        say(f"the channel {channel!r} contributed nothing: {why}")


def print_images(result: RetrievalResult) -> None:
    """Print the figures of the context."""
    rows = [(image.storage_key, image.page, image.score, image.caption[:160]) for image in result.images]
    print_table("Figures", ("figure", "page", "score", "caption"), rows)


def print_explanation(result: RetrievalResult) -> None:
    """Print the queries, the rank of each result in every channel, the dropped nodes with reasons, and the timings."""
    trace = result.trace
    if "routing" in trace:
        emit(_route_line(trace["routing"]))
    queries = [(at, query["role"], query["weight"], query["query"]) for at, query in enumerate(trace["channels"], 1)]
    print_table("Queries", ("query", "role", "weight", "text"), queries)
    channels = list(dict.fromkeys(name for match in trace["matches"] for ranks in match["ranks"] for name in ranks))
    columns = [(at, name) for at in range(len(queries)) for name in channels]
    rows = [_rank_row(place, match, columns) for place, match in enumerate(trace["matches"], 1)]
    headings = [f"{name} of {at + 1}" for at, name in columns]
    print_table("Rank in each channel, among nodes of its kind", ("rank", "node", "score", *headings), rows)
    if "hops" in trace:
        lifts = [(item["node_id"], item["lift"]) for item in trace["hops"]]
        print_table("Lifted by the second hop", ("node", "by"), lifts)
    dropped = trace["dropped"]
    if dropped:
        title = f"Dropped from the context: {len(dropped)}"
        print_table(title, ("node", "why"), [(item["node_id"], item["why"]) for item in dropped[:MAX_DROPPED]])
    snippets, tokens = len(result.snippets), trace["tokens"]
    emit(f"Context: {snippets} snippets, {tokens} tokens, from {len(result.matches)} ranked nodes")
    emit("Milliseconds: " + ", ".join(f"{name} {ms:.1f}" for name, ms in result.timings_ms.items()))


def _route_line(routing: Mapping[str, Any]) -> str:
    weights = ", ".join(f"{name} {weight:.2f}" for name, weight in routing["weights"].items()) or "as configured"
    signals = ", ".join(routing["signals"]) or "none"
    return (
        f"Route: {routing['strategy']}, intent {routing['intent']}, complexity {routing['complexity']} "
        f"(signals: {signals}), weights: {weights}"
    )


def _rank_row(place: int, match: Mapping[str, Any], columns: list[tuple[int, str]]) -> tuple[Any, ...]:
    return (place, match["node_id"], match["score"], *(match["ranks"][at].get(name) for at, name in columns))

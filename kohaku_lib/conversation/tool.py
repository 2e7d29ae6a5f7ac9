"""The tool `search_knowledge_base`: a search for agents, with its schema for language models that call tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kohaku_lib.conversation.request import RequestError, check_length
from kohaku_lib.errors import InputFileError
from kohaku_lib.index import SearchFilter, Snapshot
from kohaku_lib.project.open_index import OpenIndex
from kohaku_lib.settings import Settings
from kohaku_lib.tables import Question, RetrievalResult, Snippet

NAME = "search_knowledge_base"
MOST_ITEMS, DEFAULT_ITEMS = 50, 5
SCHEMA: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": NAME,
        "description": "Search the documents of the knowledge base. Returns passages with their source and page.",
        "parameters": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for, as a question or key words."},
                "limit": {"type": "integer", "minimum": 1, "maximum": MOST_ITEMS, "default": DEFAULT_ITEMS},
                "category": {"type": "string", "description": "Search this collection of documents only."},
            },
            "required": ["query"],
            "additionalProperties": False,
        },
    },
}


@dataclass(frozen=True, slots=True)
class ToolItem:
    """A passage: the id of the node that fits, the text of the paragraph around it, and where it stands.

    `source` names the system that found it, `section_heading` the headings above it, outermost first.
    """

    id: str
    text: str
    score: float
    source: str
    document_id: str
    section_heading: str
    page: int | None
    is_table: bool


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The passages for a query, best first; empty with the reason where the search was refused or found nothing."""

    items: tuple[ToolItem, ...] = ()
    reason: str | None = None


def search_knowledge_base(
    index: OpenIndex,
    settings: Settings,
    query: str,
    limit: int = DEFAULT_ITEMS,
    category: str | None = None,
) -> ToolResult:
    """Return the best passages for `query` in the documents of an organisation; no language model answers.

    Args:
        index: The open index.
        settings: The settings of the search, for the organisation corpus.org_id.
        query: A question or key words.
        limit: The largest number of passages.
        category: A collection of documents to search alone; one that does not exist is a refusal.

    Raises:
        RequestError: The query is empty or too long, or `limit` is out of range.

    """
    check_length(query, settings.assistant.max_message_chars)
    _check_arguments(query, limit)
    where = SearchFilter(collections=(category,) if category else ())
    try:
        result = index.engine(where, settings).context(Question(NAME, query.strip()))
    except InputFileError as error:
        return ToolResult(reason=str(error))
    refusal = result.trace.get("refinement", {}).get("refused")
    if refusal is not None:
        return ToolResult(reason=str(refusal))
    items = tuple(_item(index.snapshot, snippet, result, settings.profile) for snippet in result.snippets[:limit])
    return ToolResult(items, None if items else "no passage fits the query")


def _check_arguments(query: str, limit: int) -> None:
    if not query.strip():
        msg = "the query is empty; search for something"
        raise RequestError(msg)
    if not 1 <= limit <= MOST_ITEMS:
        msg = f"limit must be from 1 to {MOST_ITEMS}, got {limit}"
        raise RequestError(msg)


def _item(snapshot: Snapshot, snippet: Snippet, result: RetrievalResult, profile: str | None) -> ToolItem:
    """Return a snippet with the id of its best match: the best ranked of its node and the nodes beneath it."""
    row = snapshot.row_of(snippet.node_id)
    beneath = {snippet.node_id, *snapshot.column("node_id", snapshot.children(row))}
    best = next((match for match in result.matches if match.node_id in beneath), None)
    return ToolItem(
        id=(best.best_sentence or best.node_id) if best else snippet.node_id,
        text=snippet.text,
        score=best.score if best else snippet.score,
        source="rag2" if profile == "triple_hybrid" else "kohaku",  # the name that the published system has
        document_id=snippet.document_id,
        section_heading=snippet.heading,
        page=snippet.page,
        is_table=snapshot.column("modality", [row])[0] == "table",
    )

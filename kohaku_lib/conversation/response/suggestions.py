"""Further questions that the documents can answer: from the headings around the sources and from the knowledge graph."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain

import numpy as np

from kohaku_lib.errors import StoreError
from kohaku_lib.index import Snapshot

MOST = 3
_MOST_RELATED = 20
_NUMBERING = re.compile(r"^(?:(?:\d+(?:\.\d+)*\.?|[IVX]+\.|[A-Z]\.)\s+)+")
_UNWANTED = re.compile(r"\b(?:references?|contents|acknowledge?ments?|bibliography|appendix|index)\b", re.IGNORECASE)
_LONGEST, _SHORTEST = 70, 4  # characters of a heading


def suggest_questions(snapshot: Snapshot, node_ids: Sequence[str], question: str, org_id: str) -> tuple[str, ...]:
    """Return up to three questions about headings near the nodes `node_ids`, best first, and related to them.

    First the sections beside the source, then those of passages that the graph relates to it. Headings that are in the
    question, of another tenant, or no more than a number are left out.
    """
    if not node_ids:
        return ()
    rows = [snapshot.row_of(node_id) for node_id in node_ids]
    found: dict[str, str] = {}
    for row in chain(_sections_beside(snapshot, rows[0]), _related(snapshot, rows, org_id)):
        document, title = (snapshot.column(name, [row])[0] for name in ("document_id", "title"))
        name = snapshot.document_titles.get(document, document)
        heading = clean_heading(title or "")
        if heading and heading.lower() not in question.lower() and heading != name:
            found.setdefault(heading.lower(), f"What does “{name}” say about “{heading}”?")
        if len(found) == MOST:
            break
    return tuple(found.values())


def clean_heading(title: str) -> str | None:
    """Return the last part of a path of headings without its number; None if it names no topic.

    >>> clean_heading("4 RESULTS / 4.1 Building our models"), clean_heading("References"), clean_heading("3.2")
    ('Building our models', None, None)
    """
    heading = _NUMBERING.sub("", title.rpartition(" / ")[2].strip() + " ").strip()
    is_topic = _SHORTEST <= len(heading) <= _LONGEST and not _UNWANTED.search(heading) and heading[-1] not in ".,:;"
    return heading if is_topic and any(map(str.isalpha, heading)) else None


def _sections_beside(snapshot: Snapshot, row: int) -> Iterator[int]:
    """Yield the sections after the one of `row`, then those before it, nearest first."""
    above = [row, *snapshot.parents(row, 9)]
    section = next((one for one in above if snapshot.kind(one) == "section"), None)
    if section is None:
        return
    siblings = snapshot.children(int(snapshot.parent_rows[section])) if snapshot.parent_rows[section] >= 0 else []
    place = siblings.index(section) if section in siblings else 0
    yield from siblings[place + 1 :]
    yield from reversed(siblings[:place])


def _related(snapshot: Snapshot, rows: Sequence[int], org_id: str) -> Iterator[int]:
    """Yield the nodes that the graph relates to `rows`, closest first, at most twenty; none if it is damaged."""
    with suppress(StoreError):
        nodes, scores = snapshot.graph.related(np.array(rows), 1, org_id)
        yield from nodes[np.argsort(-scores, kind="stable")].tolist()[:_MOST_RELATED]

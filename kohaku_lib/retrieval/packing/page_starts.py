"""Where each page begins within the text of a snippet."""

from __future__ import annotations

import json
from collections.abc import Iterator

from kohaku_lib.index import Snapshot
from kohaku_lib.tree import table_opening
from kohaku_lib.tree.page_starts import PAGE_STARTS, page_turns
from kohaku_lib.tree.page_starts import page_starts as stated_page_starts


def page_starts(snapshot: Snapshot, row: int, text: str) -> tuple[tuple[int, int], ...]:
    """Return (char_start, page) of every page in `text`, that of node `row` or a window of it; () for one page or none.

    Paragraphs and their sentences are searched for in the text; rows of a table stand below its caption and header.
    """
    places: list[tuple[int, int]] = []
    after = 0
    rows = list(_paragraph_rows(snapshot, row))
    columns = (snapshot.column(name, rows) for name in ("text", "page", "metadata_json"))
    for whole, first, metadata in zip(*columns, strict=True):
        start, cut = text.find(whole, after), 0
        if start >= 0:
            after = start + len(whole)
        else:
            part = text.removeprefix(f"{table_opening(whole)}\n")
            start = len(text) - len(part)
            cut = whole.find(part, snapshot.column("char_start", [row])[0] or 0)
        if first is None or cut < 0:
            continue
        later = stated_page_starts(json.loads(metadata), ()) if f'"{PAGE_STARTS}"' in metadata else ()
        begins = next((page for offset, page in reversed(later) if offset <= cut), first)
        places += [(start, begins), *((start + offset - cut, page) for offset, page in later if offset > cut)]
    places = [place for place in places if place[0] < len(text)]
    turns = page_turns(places, places[0][1]) if places else ()
    return ((0, places[0][1]), *turns) if turns else ()


def _paragraph_rows(snapshot: Snapshot, row: int) -> Iterator[int]:
    """Yield the paragraph of a sentence, the paragraph itself, or those beneath a higher node, in order."""
    kind = snapshot.kind(row)
    if kind in {"sentence", "paragraph"}:
        yield int(snapshot.parent_rows[row]) if kind == "sentence" else row
        return
    for child in snapshot.children(row):
        yield from _paragraph_rows(snapshot, child)

"""Join tables that continue on the next page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kohaku_lib.documents.formats.pdf.blocks import Block
from kohaku_lib.documents.formats.pdf.tables.tables import is_amount, markdown_row

_CONTINUED = re.compile(r"\(?\b(?:continued|cont[’']?d|cont\.)\)?", re.I)
_LONGEST_NOTE = 120
_MOST_NOTES = 5
_SAME_EDGE_PT, _SAME_SIDE_PT = 3.0, 15.0


def join_tables(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with tables joined across page breaks.

    A table continues if only a "continued" note is in between, the column counts match, and the headers are equal or the
    second table has no header of its own: its first row is blank, contains numbers, or the grids are equally wide. A
    repeated header is dropped. `table_pages` in the metadata lists the pages.
    """
    whole_blocks: list[Block] = []
    for block in blocks:
        above = _last_table(whole_blocks) if block.kind == "table" else None
        grid = _same_grid(whole_blocks, block) if block.kind == "table" else None
        if above is not None and _continues_table(above, block):
            while whole_blocks[-1] is not above:
                whole_blocks.pop()
            _append_rows(above, block)
        elif grid is not None:
            _append_rows(grid, block)
        else:
            whole_blocks.append(block)
    return whole_blocks


def _same_grid(blocks: Sequence[Block], block: Block) -> Block | None:
    """Return the table of the preceding page with the same edges that continues here after notes, else None."""
    nearest = [other for other in blocks[-_MOST_NOTES:] if other.kind == "table"][-1:]
    for other in nearest:
        edges = abs(other.box.x0 - block.box.x0), abs(other.box.x1 - block.box.x1)
        adjacent = block.page == _last_page(other) + 1 and len(other.metadata["_head"]) == len(block.metadata["_head"])
        if adjacent and max(edges) < _SAME_EDGE_PT and any(map(is_amount, block.metadata["_head"])):
            return other
    return None


def _last_page(table: Block) -> int:
    return table.metadata.get("table_pages", [table.page])[-1]


def _last_table(blocks: Sequence[Block]) -> Block | None:
    """Return the last table if only continuation notes follow it."""
    for block in reversed(blocks):
        if block.kind == "table":
            return block
        if block.kind == "image" or len(block.text) > _LONGEST_NOTE or not _CONTINUED.search(block.text):
            return None
    return None


def _continues_table(above: Block, block: Block) -> bool:
    head, own = above.metadata["_head"], block.metadata["_head"]
    if block.page != _last_page(above) + 1 or len(head) != len(own):
        return False
    if any(own) and _header_key(head) == _header_key(own):
        return True
    caption = block.metadata.get("table_caption", "")
    if caption and caption != above.metadata.get("table_caption") and not _CONTINUED.search(caption) and any(own):
        return False
    edges = abs(above.box.x0 - block.box.x0), abs(above.box.x1 - block.box.x1)
    if max(edges) < _SAME_EDGE_PT and not _is_header(own):
        return True
    return not any(own) and max(edges) < _SAME_SIDE_PT


def _header_key(head: Sequence[str]) -> list[str]:
    return [_CONTINUED.sub("", cell).strip().lower() for cell in head]


def _is_header(head: Sequence[str]) -> bool:
    """Return whether a first row looks like a header: words in every cell and no number."""
    return all(cell and not is_amount(cell) for cell in head)


def _append_rows(above: Block, block: Block) -> None:
    """Append the rows of `block` to the table `above`, in place."""
    own = block.metadata["_head"]
    rows = list(block.metadata["_rows"])
    if any(own) and _header_key(own) != _header_key(above.metadata["_head"]):
        rows.insert(0, (own, block.page, block.box))
    above.text = "\n".join([above.text, *(markdown_row(cells) for cells, _, _ in rows)])
    above.metadata["_rows"] = [*above.metadata["_rows"], *rows]
    above.metadata["table_rows"] += len(rows)
    above.metadata["table_pages"] = [*above.metadata.get("table_pages", [above.page]), block.page]

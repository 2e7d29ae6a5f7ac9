"""Join tables that continue on the next page."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from kohaku_lib.documents.formats.pdf.blocks import TABLE_CAPTION, Block
from kohaku_lib.documents.formats.pdf.tables.tables import PageTable, is_amount, is_number
from kohaku_lib.documents.formats.pdf.text.footnotes import is_footnote
from kohaku_lib.text.table_rows import markdown_row

_CONTINUED = re.compile(r"\(?\b(?:continued|cont[’']?d|cont\.)\)?", re.I)
_DIGITS = re.compile(r"\d+")
_LONGEST_NOTE = 120
_SAME_EDGE_PT, _SAME_SIDE_PT = 3.0, 15.0


def join_tables(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with tables joined across page breaks.

    A table continues the last one of the page before if both have as many columns, nothing but notes stands between
    ("continued", footnotes, what repeats on other pages), it has no other caption, and its header is the same or it has
    none: its first row is blank or has numbers, or is like the rows below it in a grid of equal columns. A repeated
    header and the notes that say "continued" are dropped. `table_pages` in the metadata lists the pages.
    """
    repeated = _repeated_texts(blocks)
    whole_blocks: list[Block] = []
    for block in blocks:
        above = _last_table(whole_blocks, repeated) if block.kind == "table" else None
        if above is not None and _continues_table(above, block, repeated):
            start = next(at for at, other in enumerate(whole_blocks) if other is above) + 1
            whole_blocks[start:] = [other for other in whole_blocks[start:] if not _says_continued(other)]
            _append_rows(above, block)
        else:
            whole_blocks.append(block)
    return whole_blocks


def _repeated_texts(blocks: Sequence[Block]) -> frozenset[str]:
    """Return the texts, apart from their numbers, that are on several pages, such as running heads."""
    pages: dict[str, set[int]] = {}
    for block in blocks:
        if block.kind in {"text", "heading"}:
            pages.setdefault(_text_key(block.text), set()).add(block.page)
    return frozenset(text for text, found in pages.items() if len(found) > 1)


def _text_key(text: str) -> str:
    return _DIGITS.sub("0", text)


def _last_table(blocks: Sequence[Block], repeated: Set[str]) -> Block | None:
    """Return the last table if only notes follow it."""
    for block in reversed(blocks):
        if block.kind == "table":
            return block
        if block.kind == "image":
            return None
        if not (_says_continued(block) or is_footnote(block) or _text_key(block.text) in repeated):
            return None
    return None


def _says_continued(block: Block) -> bool:
    return len(block.text) <= _LONGEST_NOTE and _CONTINUED.search(block.text) is not None


def _continues_table(above: Block, block: Block, repeated: Set[str]) -> bool:
    first, second = _table(above), _table(block)
    head, own = first.rows[0], second.rows[0]
    if block.page != _last_page(above) + 1 or len(head) != len(own):
        return False
    caption = block.metadata.get("table_caption", "")
    is_new = bool(caption) and caption != above.metadata.get("table_caption") and not _CONTINUED.search(caption)
    if any(own) and _header_key(head) == _header_key(own):
        return not (is_new and TABLE_CAPTION.match(caption))
    if is_new and _text_key(caption) not in repeated:
        return False
    edges = abs(above.box.x0 - block.box.x0), abs(above.box.x1 - block.box.x1)
    if max(edges) < _SAME_EDGE_PT and not _is_header(own):
        return True
    if not any(own):
        return max(edges) < _SAME_SIDE_PT
    return _has_same_columns(first, second) and not _has_own_head(first, second)


def _table(block: Block) -> PageTable:
    table: PageTable = block.metadata["_table"]
    return table


def _last_page(table: Block) -> int:
    return table.metadata.get("table_pages", [table.page])[-1]


def _header_key(head: Sequence[str]) -> list[str]:
    return [_CONTINUED.sub("", cell).strip().lower() for cell in head]


def _is_header(head: Sequence[str]) -> bool:
    """Return whether a first row looks like a header: words in every cell and no number."""
    return all(cell and not is_amount(cell) for cell in head)


def _has_same_columns(first: PageTable, second: PageTable) -> bool:
    """Return whether the columns of two grids are equally wide; left and right pages may have other margins."""
    if not first.edges or len(first.edges) != len(second.edges):
        return False
    shift = second.edges[0] - first.edges[0]
    return all(abs(b - a - shift) < _SAME_EDGE_PT for a, b in zip(first.edges, second.edges, strict=True))


def _has_own_head(first: PageTable, second: PageTable) -> bool:
    """Return whether the first row of the `second` table differs from the rows below it as a header does.

    Where the headers of the `first` are bold, so are those of another table. Otherwise a header has words above numbers.
    """
    if first.has_bold_head or second.has_bold_head:
        return second.has_bold_head
    own, *rows = second.rows
    return any(_is_word(cell) and _are_numbers([row[at] for row in rows]) for at, cell in enumerate(own))


def _is_word(cell: str) -> bool:
    return bool(cell) and not _DIGITS.search(cell) and not is_number(cell)


def _are_numbers(cells: Sequence[str]) -> bool:
    """Return whether most of the filled cells have digits."""
    filled = [cell for cell in cells if cell]
    return 2 * sum(_DIGITS.search(cell) is not None for cell in filled) > len(filled)


def _append_rows(above: Block, block: Block) -> None:
    """Append the rows of `block` to the table `above`, in place."""
    table = _table(block)
    own, rows = table.rows[0], list(block.metadata["_rows"])
    if any(own) and _header_key(own) != _header_key(_table(above).rows[0]):
        rows.insert(0, (own, block.page, table.row_boxes[0] if table.row_boxes else block.box))
    above.text = "\n".join([above.text, *(markdown_row(cells) for cells, _, _ in rows)])
    above.metadata["_rows"] = [*above.metadata["_rows"], *rows]
    above.metadata["table_rows"] += len(rows)
    above.metadata["table_pages"] = [*above.metadata.get("table_pages", [above.page]), block.page]

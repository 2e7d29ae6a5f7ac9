"""Build table blocks and attach their captions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from kohaku_lib.documents.formats.pdf.blocks import TABLE_CAPTION, Block
from kohaku_lib.documents.formats.pdf.tables.tables import PageTable
from kohaku_lib.documents.formats.pdf.text.page_text import PageText, page_box
from kohaku_lib.tables import SentencePayload
from kohaku_lib.text.table_rows import markdown_row, markdown_rows

_FARTHEST_PT = 40.0
_LONGEST_LEAD = 200
_INTRODUCTION = re.compile(r".*[:：]|\(.*\)|（.*）|[\[【].*[\]】].*", re.DOTALL)


def table_block(table: PageTable, page: int, region: int) -> Block:
    """Return the block of a table: Markdown text, with the table and its rows as `_table` and `_rows` in its metadata."""
    metadata: dict[str, Any] = {"modality": "table", "attachment_type": "table", "table_rows": len(table.rows)}
    _, *body = table.rows
    metadata["_table"] = table
    boxes = table.row_boxes[1:] or [table.box] * len(body)
    metadata["_rows"] = [(cells, page, box) for cells, box in zip(body, boxes, strict=True)]
    if table.title:
        metadata["_title"] = table.title
    return Block("table", markdown_rows(table.rows), page, table.box, region=region, metadata=metadata)


def row_sentences(block: Block, pages: Mapping[int, PageText]) -> tuple[SentencePayload, ...] | None:
    """Return the rows of a table as in its text, with the page and box of each; None for other blocks."""
    if "_rows" not in block.metadata:
        return None
    return tuple(
        SentencePayload(markdown_row(cells), {"page": page, "bbox": page_box(box, pages[page])})
        for cells, page, box in block.metadata["_rows"]
    )


def with_table_captions(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with the caption of every table as its first line.

    A block "Table N ..." adjacent to a table becomes its caption and is dropped, as is a short text directly above that
    introduces it ("... were as follows:") or stands in brackets ("(In thousands)"). Otherwise the title in its own first
    row, else another short text directly above (a heading) is repeated as the first line.
    """
    taken: set[int] = set()
    for index, block in enumerate(blocks):
        if block.kind == "table":
            caption = _find_caption(blocks, index, taken)
            title = block.metadata.get("_title")
            if title and not (caption and TABLE_CAPTION.match(caption)):
                caption = title
            if caption is not None:
                block.metadata["table_caption"] = caption
                block.text = f"{caption}\n{block.text}"
    return [block for block in blocks if id(block) not in taken]


def _find_caption(blocks: Sequence[Block], index: int, taken: set[int]) -> str | None:
    table = blocks[index]
    near = [
        block
        for block in (*blocks[max(0, index - 3) : index][::-1], *blocks[index + 1 : index + 3])
        if block.page == table.page and _vertical_distance(block, table) < _FARTHEST_PT and id(block) not in taken
    ]
    for block in near:
        if block.is_caption and TABLE_CAPTION.match(block.text):
            taken.add(id(block))
            return block.text
    before = blocks[index - 1] if index else None
    if (
        before is not None
        and before in near
        and before.kind in {"text", "heading"}
        and len(before.text) <= _LONGEST_LEAD
    ):
        if _introduces(before, table):
            taken.add(id(before))
        return before.text
    return None


def _introduces(text: Block, table: Block) -> bool:
    """Return whether a text above a table says nothing but what the table is, so that it need not stand twice."""
    is_above = text.region == table.region and (text.box.y0 + text.box.y1) / 2 <= table.box.y0
    is_text = text.kind == "text" and not text.is_caption and "_title" not in table.metadata
    return is_above and is_text and _INTRODUCTION.fullmatch(text.text) is not None


def _vertical_distance(block: Block, table: Block) -> float:
    return max(table.box.y0 - block.box.y1, block.box.y0 - table.box.y1)

"""Tables and the captions that belong to them."""

from __future__ import annotations

from collections.abc import Sequence

from kohaku_lib.documents.pdf.blocks import TABLE_CAPTION, Block
from kohaku_lib.documents.pdf.tables import Table, markdown_rows

_FARTHEST_PT = 40.0
_LONGEST_LEAD = 200


def table_block(table: Table, page: int, region: int) -> Block:
    """Return the block of a table: its rows as Markdown."""
    metadata = {"modality": "table", "attachment_type": "table", "table_rows": len(table.rows)}
    return Block("table", markdown_rows(table.rows), page, table.box, region=region, metadata=metadata)


def with_table_captions(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with the caption of every table as its first line.

    A block "Table N ..." right above or beneath a table becomes its caption and is dropped; where there is none,
    a short text right above (a heading, "... were as follows:") is repeated as the first line.
    """
    taken: set[int] = set()
    for index, block in enumerate(blocks):
        if block.kind == "table":
            caption = _caption(blocks, index, taken)
            if caption is not None:
                block.metadata["table_caption"] = caption
                block.text = f"{caption}\n{block.text}"
    return [block for block in blocks if id(block) not in taken]


def _caption(blocks: Sequence[Block], index: int, taken: set[int]) -> str | None:
    table = blocks[index]
    near = [
        block
        for block in (*blocks[max(0, index - 3) : index][::-1], *blocks[index + 1 : index + 3])
        if block.page == table.page and _distance(block, table) < _FARTHEST_PT and id(block) not in taken
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
        return before.text
    return None


def _distance(block: Block, table: Block) -> float:
    return max(table.box.y0 - block.box.y1, block.box.y0 - table.box.y1)

"""Printed lines → blocks: headings, paragraphs, tables with their captions, list items, footnotes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from kohaku_lib.tree.content_type import is_reference_heading
from kohaku_lib.tree.resegmenting.line_forms import TERMINATED
from kohaku_lib.tree.resegmenting.line_kinds import Kind, line_kinds
from kohaku_lib.tree.resegmenting.page_lines import PageLine

_ENTRY_START = re.compile(r"^(?:\[\d{1,3}\]|\[[A-Z][\w+]*\d\d[a-z]?\]|\d{1,3}\. [A-Z])")
_AUTHOR_START = re.compile(
    r"^(?:[A-Z][\w’'-]+, (?:[A-Z]\.|[A-Z][a-z]+)|(?:[A-Z][\w.’'-]+ ){1,3}[A-Z][\w’'-]+(?:,| and | et al))"
)


@dataclass(slots=True)
class Block:
    """Lines that belong together; kind is "heading", "body", "item", "entry", "table", "caption" or "footnote"."""

    kind: str
    lines: list[PageLine] = field(default_factory=list)
    caption_at: int = 0  # the line with which a caption or footnote begins

    @property
    def is_open(self) -> bool:
        """Whether the last line breaks off within a sentence."""
        return not TERMINATED.search(self.lines[-1].text)


def blocks(lines: Sequence[PageLine]) -> list[Block]:
    """Return the blocks of a document in the order in which they begin.

    A paragraph that is interrupted by a float, a footnote or the end of a page continues after it. A caption and the
    adjacent rows are one block.

    >>> lines = [PageLine(text, 1) for text in ("The model was trained for days on end and", "Table 1: Energy use.",
    ...     "GPT-3 1,287 552", "Gopher 1,066 380", "OPT 324 75", "used much energy.")]
    >>> [(block.kind, len(block.lines)) for block in blocks(lines)]
    [('body', 2), ('table', 4)]
    """
    writer = _BlockWriter()
    for line, kind in zip(lines, line_kinds(lines), strict=True):
        writer.add(line, kind)
    return writer.blocks


class _BlockWriter:
    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._body: Block | None = None  # the paragraph that running text goes on with
        self._float: Block | None = None  # the caption, table or footnote that is being read
        self._in_references = False

    def add(self, line: PageLine, kind: Kind) -> None:
        if kind is Kind.HEADING:
            self._add_heading(line)
        elif kind is Kind.CAPTION:
            self._add_caption(line)
        elif kind is Kind.ROW:
            self._add_row(line)
        elif kind is Kind.FOOTNOTE and not self._in_references:
            self._float = self._open_block("footnote", line)
        elif self._float and self._float_goes_on(self._float, line, kind):
            self._float.lines.append(line)
        else:
            self._add_text(line, kind)

    def _open_block(self, kind: str, line: PageLine) -> Block:
        self.blocks.append(Block(kind, [line]))
        return self.blocks[-1]

    def _add_heading(self, line: PageLine) -> None:
        self._body = self._float = None
        self._open_block("heading", line)
        self._in_references = is_reference_heading(line.text)

    def _add_caption(self, line: PageLine) -> None:
        if self._float and self._float.kind == "table" and self._float.lines[-1].page == line.page:
            self._float.kind, self._float.caption_at = "figure", len(self._float.lines)
            self._float.lines.append(line)
        else:
            self._float = self._open_block("caption", line)

    def _add_row(self, line: PageLine) -> None:
        beside = self._float and self._float.lines[-1].page == line.page
        if self._float and beside and self._float.kind in {"caption", "table"}:
            self._float.kind = "table"
            self._float.lines.append(line)
        else:
            self._float = self._open_block("table", line)

    def _float_goes_on(self, block: Block, line: PageLine, kind: Kind) -> bool:
        lines = block.lines[block.caption_at :]
        last = lines[-1]
        if block.kind == "table" or kind is not Kind.BODY or last.page != line.page or len(lines) > 12:
            return False
        if block.is_open:
            return True
        resumes = self._body is not None and self._body.is_open
        short = len(last.text) < 0.85 * max(len(earlier.text) for earlier in lines)
        return not (resumes or short or len(lines) == 1)

    def _add_text(self, line: PageLine, kind: Kind) -> None:
        self._float = None
        if self._body is None or self._starts_paragraph(self._body, line, kind):
            self._body = self._open_block(self._text_kind(kind), line)
        else:
            self._body.lines.append(line)

    def _text_kind(self, kind: Kind) -> str:
        if self._in_references:
            return "entry"
        return "item" if kind is Kind.ITEM else "body"

    def _starts_paragraph(self, block: Block, line: PageLine, kind: Kind) -> bool:
        if self._in_references:
            return _starts_entry(block, line)
        set_off = line.set_off and not block.lines[-1].set_off
        if kind is Kind.ITEM or (set_off and (line.text[0].isupper() or not block.is_open)):
            return True
        if line.text[0].islower():
            return False
        if block.is_open:
            return block.kind == "item" and len(block.lines) == 1 and len(block.lines[0].text) < 0.5 * len(line.text)
        if self.blocks[-1] is not block or block.lines[-1].page != line.page:
            return True
        usual = max(len(earlier.text) for earlier in block.lines[-4:])
        return len(block.lines[-1].text) < 0.8 * usual


def _starts_entry(block: Block, line: PageLine) -> bool:
    if _ENTRY_START.match(line.text):
        return True
    if _ENTRY_START.match(block.lines[0].text):
        return False
    return not block.is_open and bool(_AUTHOR_START.match(line.text))

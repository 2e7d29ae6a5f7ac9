"""Markdown tables as caption, header and rows that can be read on their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kohaku_lib.text.sentences import Span
from kohaku_lib.text.table_rows import is_rule, row_cells

_BREAK = re.compile(r"<br\s*/?>|\s+", re.IGNORECASE)
_AMOUNT = re.compile(r"[-–—−+(]?\s*(?:US)?[$€£¥]?\s*[-–—−(]?\d[\d,.\s]*\s*[%)]*$|[—–-]$")
_LONGEST_GROUP = 80  # characters of a row of one cell that heads the rows beneath it


@dataclass(frozen=True, slots=True)
class TableLine:
    """A searchable line of a table: its span in the table's text, and its text on its own.

    For a caption the text is that of the span; for a row it names the row, then "column: value" for every cell.
    """

    span: Span
    text: str


def table_lines(text: str) -> list[TableLine]:
    r"""Return the caption lines and the data rows of a Markdown table; [] if `text` contains none.

    Lines above the head are the caption. The first cell with a letter names the row; a row with only that
    cell is a heading of the rows below, belongs to the first of them, and its text precedes theirs. Values of a
    column without a header are not labelled. The caption is a line of its own: repeated with every row, it outweighed the
    row's words, and on filings the page of the evidence was found less often.

    >>> table = "Table 1: Power.\n| Model | Watts | Year |\n| --- | --- | --- |\n| small | 45 | 2021 |"
    >>> [line.text for line in table_lines(table)]
    ['Table 1: Power.', 'small — Watts: 45; Year: 2021']
    """
    lines = list(_line_spans(text))
    rule = _rule_at(text, lines)
    if rule is None:
        return []
    captions = [TableLine((start, end), text[start:end]) for start, end in lines[: rule - 1]]
    head = _cell_texts(text[slice(*lines[rule - 1])])
    rows = [(span, _cell_texts(text[slice(*span)])) for span in lines[rule + 1 :]]
    body = list(_data_rows(head, rows)) or [TableLine(lines[rule - 1], "; ".join(filter(None, head)))]
    return [*captions, *(line for line in body if line.text)]


def table_opening(text: str) -> str:
    r"""Return the caption, head and rule with which a Markdown table begins; "" where `text` is none.

    >>> table_opening("Power\n| Model | W |\n| --- | --- |\n| small | 45 |")
    'Power\n| Model | W |\n| --- | --- |'
    """
    lines = list(_line_spans(text))
    rule = _rule_at(text, lines)
    return "" if rule is None else text[: lines[rule][1]]


def _line_spans(text: str) -> Iterator[Span]:
    for match in re.finditer(r"[^\n]+", text):
        piece = match.group()
        start = match.start() + len(piece) - len(piece.lstrip())
        if piece.strip():
            yield start, start + len(piece.strip())


def _rule_at(text: str, lines: Sequence[Span]) -> int | None:
    """Return the place of the line of dashes beneath the head."""
    for place in range(1, len(lines)):
        if is_rule(text[slice(*lines[place])]) and "|" in text[slice(*lines[place - 1])]:
            return place
    return None


def _cell_texts(line: str) -> list[str]:
    return [_BREAK.sub(" ", cell).strip() for cell in row_cells(line)]


def _data_rows(head: Sequence[str], rows: Sequence[tuple[Span, list[str]]]) -> Iterator[TableLine]:
    """Yield the rows; a group's heading widens the span of the first row beneath it."""
    group, start = "", None
    for place, (span, cells) in enumerate(rows):
        below = rows[place + 1][1] if place + 1 < len(rows) else []
        if _is_group(cells) and any(below[1:]) and not _is_group(below):
            group, start = next(filter(None, cells)).rstrip(":"), span[0] if start is None else start
            continue
        if not any(cells):
            continue
        yield TableLine((span[0] if start is None else start, span[1]), _row_text(head, cells, group))
        start = None


def _is_group(cells: Sequence[str]) -> bool:
    """Return whether a row has one short text, alone or repeated in every cell, as merged cells are exported."""
    filled = [cell for cell in cells if cell]
    alone = len(filled) == 1 or (len(cells) > 2 and len(filled) == len(cells) and len(set(filled)) == 1)
    return len(cells) > 1 and alone and len(filled[0]) <= _LONGEST_GROUP and not _AMOUNT.match(filled[0])


def _row_text(head: Sequence[str], cells: Sequence[str], group: str) -> str:
    named = [(head[at] if at < len(head) else "", cell) for at, cell in enumerate(cells)]
    label = ""
    if named and any(character.isalpha() for character in named[0][1]):
        label = named.pop(0)[1].rstrip(":")
    values = "; ".join(f"{name}: {cell}" if name and name != cell else cell for name, cell in named if cell)
    subject = ", ".join(filter(None, [group if group != label else "", label]))
    return " — ".join(filter(None, [subject, values]))

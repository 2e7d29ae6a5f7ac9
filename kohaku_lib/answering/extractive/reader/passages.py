"""The passages of a context that are read one by one: a few sentences, or a few rows of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reader_tables import Table, blocks_of, linearised

from kohaku_lib.answering.extractive.text import statement_spans
from kohaku_lib.tables import Snippet

PASSAGE_CHARS = 700  # about 200 tokens of the model


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell within the text of a passage, and the name of its column."""

    start: int
    end: int
    column: str


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence or a row within the text of a passage: its offsets, its quote, and its cells if it is a row."""

    start: int
    end: int
    quote: str
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a snippet as the model reads it; what lies before `start` names its document and its table."""

    text: str
    start: int
    lines: tuple[Line, ...]
    snippet: Snippet

    def line_at(self, offset: int) -> Line | None:
        """Return the sentence or row that holds the character at `offset`."""
        return next((line for line in self.lines if line.start <= offset < line.end), None)


def passages_of(snippets: Sequence[Snippet]) -> list[Passage]:
    """Return the passages of `snippets` in order, each of at most about 700 characters and never across snippets."""
    return [passage for snippet in snippets for passage in _passages(snippet)]


def _passages(snippet: Snippet) -> Iterator[Passage]:
    title = f"{snippet.document_title}. " if snippet.document_title else ""
    for block in blocks_of(snippet.text):
        if isinstance(block, Table):
            caption = f"{block.caption} " if block.caption else ""
            yield from _packed(title + caption, [_row_line(block, place) for place in range(len(block.rows))], snippet)
        else:
            sentences = [block[start:end] for start, end in statement_spans(block)]
            yield from _packed(title, [(sentence, Line(0, len(sentence), sentence)) for sentence in sentences], snippet)


def _row_line(table: Table, place: int) -> tuple[str, Line]:
    row = table.rows[place]
    text, spans = linearised(table.columns, row.cells)
    cells = tuple(Cell(start, end, name) for (start, end), name in zip(spans, table.columns, strict=True))
    return text, Line(0, len(text), row.line, cells)


def _packed(head: str, lines: Sequence[tuple[str, Line]], snippet: Snippet) -> Iterator[Passage]:
    """Yield passages of consecutive lines, each behind `head`."""
    text, placed = head, list[Line]()
    for own, line in lines:
        if placed and len(text) - len(head) + len(own) > PASSAGE_CHARS:
            yield Passage(text.rstrip(), len(head), tuple(placed), snippet)
            text, placed = head, []
        placed.append(_moved(line, len(text)))
        text += f"{own} "
    if placed:
        yield Passage(text.rstrip(), len(head), tuple(placed), snippet)


def _moved(line: Line, by: int) -> Line:
    cells = tuple(Cell(cell.start + by, cell.end + by, cell.column) for cell in line.cells)
    return Line(line.start + by, line.end + by, line.quote, cells)

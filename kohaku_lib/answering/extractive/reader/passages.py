"""The passages of a context that are read one by one: a few sentences, or a few rows of a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from kohaku_lib.answering.extractive.openings import opens_document
from kohaku_lib.answering.extractive.reader.tables import Table, blocks_of, is_remark, linearised
from kohaku_lib.answering.extractive.text import statement_spans, tokens_of
from kohaku_lib.tables import Snippet
from kohaku_lib.text.dates import day_comes_first, plain_dates
from kohaku_lib.text.decimal_commas import has_decimal_commas, with_decimal_points, writes_decimal_commas

PASSAGE_CHARS = 700  # of sentences, about 200 tokens of the model
ROWS_CHARS = 450  # of rows, whose numbers have more tokens
OPENING_CHARS = 80  # of the names in a document's first paragraphs


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell within the text of a passage: its offsets, the name of its column, and its own text."""

    start: int
    end: int
    column: str
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence or a row within the text of a passage: its offsets, its quote, and its cells if it is a row."""

    start: int
    end: int
    quote: str
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a snippet as the model reads it, with dates in one spelling.

    Days and months of a column have the order that one of its cells shows. What lies before the first line names its
    document and the caption of its table.
    """

    text: str
    lines: tuple[Line, ...]
    snippet: Snippet

    @property
    def answer_areas(self) -> list[tuple[int, int]]:
        """The parts of the text within one of which an answer must lie: sentences, and cells of rows."""
        return [(one.start, one.end) for line in self.lines for one in (line.cells or (line,))]

    def line_at(self, offset: int) -> Line | None:
        """Return the sentence or row that holds the character at `offset`."""
        return next((line for line in self.lines if line.start <= offset < line.end), None)


def passages_of(snippets: Sequence[Snippet], names: Collection[str] = (), words: Collection[str] = ()) -> list[Passage]:
    """Return the passages of `snippets` in order, each of at most about 700 characters, of rows 450, and never across snippets.

    Where the opening of a document says one of `names` that a snippet of it lacks, that name goes before its passages,
    with the `words` around it (all as stems): what a document is about is often said only there. So do the path of
    its file and the headings above a snippet where they say one of `words` that it lacks.
    """
    openings = _openings(snippets, frozenset(names), words)
    have_commas, asked = _with_decimal_commas(snippets), frozenset(words)
    return [
        passage
        for snippet in snippets
        for passage in _passages(
            snippet, openings.get(snippet.document_id), asked, has_commas=snippet.document_id in have_commas
        )
    ]


def stems_in(text: str) -> set[str]:
    """Return the stems of all words of `text`.

    >>> sorted(stems_in("Two trams, two boats."))
    ['boat', 'tram', 'two']
    """
    return {token.stem for token in tokens_of(text)}


def _with_decimal_commas(snippets: Sequence[Snippet]) -> set[str]:
    """Return the documents that write decimal commas, by all of their snippets together."""
    texts: dict[str, list[str]] = defaultdict(list)
    for snippet in snippets:
        texts[snippet.document_id].append(snippet.text)
    return {document for document, own in texts.items() if writes_decimal_commas(own)}


@dataclass(frozen=True, slots=True)
class _Opening:
    text: str
    names: frozenset[str]


def _openings(snippets: Sequence[Snippet], names: frozenset[str], words: Collection[str]) -> dict[str, _Opening]:
    """Return by document the phrase of its first paragraphs that has most of `names`, where one does."""
    best: dict[str, _Opening] = {}
    for snippet in snippets if names else ():
        if not opens_document(snippet.node_id):
            continue
        for start, end in statement_spans(snippet.text):
            text = snippet.text[start:end]
            said = names & stems_in(text)
            if len(said) > len(best[snippet.document_id].names if snippet.document_id in best else ()):
                best[snippet.document_id] = _Opening(_phrase_with(said, words, text), said)
    return best


def _phrase_with(names: Collection[str], words: Collection[str], text: str) -> str:
    """Return the words around the first name: capitalised ones and those of the question, as "Lindow garden centre"."""
    tokens = tokens_of(text)
    first = last = next(place for place, token in enumerate(tokens) if token.stem in names)
    while last + 1 < len(tokens) and (tokens[last + 1].surface[0].isupper() or tokens[last + 1].stem in words):
        last += 1
    while first > 0 and tokens[first - 1].surface[0].isupper():
        first -= 1
    return text[tokens[first].start : tokens[last].end][:OPENING_CHARS]


def _passages(
    snippet: Snippet, opening: _Opening | None, asked: frozenset[str], *, has_commas: bool
) -> Iterator[Passage]:
    title = f"{snippet.document_title}. " if snippet.document_title else ""
    for above in filter(None, (snippet.path, snippet.heading)):
        if asked & stems_in(above) - stems_in(f"{title} {snippet.text}"):
            title += f"{above}. "
    if opening is not None and not opening.names <= stems_in(f"{title} {snippet.text}"):
        title += f"{opening.text.rstrip('.')}. "
    return (Passage(text, lines, snippet) for text, lines in _texts_with_lines(snippet.text, title, has_commas))


@lru_cache(maxsize=1024)  # texts: deeper contexts and later questions meet most of them again
def _texts_with_lines(text: str, title: str, has_commas: bool) -> tuple[tuple[str, tuple[Line, ...]], ...]:
    """Return the passages of a snippet's text, each behind `title`, with their lines."""
    found: list[tuple[str, tuple[Line, ...]]] = []
    for block in blocks_of(text):
        if isinstance(block, Table):
            caption = f"{block.caption} " if block.caption else ""
            found += _packed(title + caption, _row_lines(block, has_commas), ROWS_CHARS)
            remarks = [
                line
                for row in block.rows
                if is_remark(row)
                for line in _sentence_lines(" ".join(row.cells).strip(), has_commas)
            ]
            found += _packed(title, remarks, PASSAGE_CHARS)
        else:
            found += _packed(title, _sentence_lines(block, has_commas), PASSAGE_CHARS)
    return tuple(found)


def _sentence_lines(block: str, in_document: bool) -> Iterator[tuple[str, Line]]:
    """Yield the sentences of a text: first its dates are rewritten, whose points end no sentence then."""
    plain, has_commas = plain_dates(block), in_document or has_decimal_commas(block)
    for start, end in statement_spans(plain.text):
        low, high = plain.original_span(start, end)
        text = with_decimal_points(plain.text[start:end]) if has_commas else plain.text[start:end]
        yield text, Line(0, len(text), block[low:high])


def _row_lines(table: Table, in_document: bool) -> Iterator[tuple[str, Line]]:
    columns = [plain_dates(name).text for name in table.columns]
    has_commas = in_document or any(has_decimal_commas(row.line) for row in table.rows)
    orders = [day_comes_first(row.cells[place] for row in table.rows) for place in range(len(table.columns))]
    for row in table.rows:
        if is_remark(row):
            continue
        texts = [plain_dates(cell, order).text for cell, order in zip(row.cells, orders, strict=True)]
        text, spans = linearised(columns, [with_decimal_points(cell) if has_commas else cell for cell in texts])
        cells = zip(spans, columns, row.cells, strict=True)
        filled = tuple(Cell(start, end, name, cell) for (start, end), name, cell in cells if end > start)
        if filled:
            yield text, Line(0, len(text), row.line, filled)


def _packed(head: str, lines: Iterable[tuple[str, Line]], most_chars: int) -> Iterator[tuple[str, tuple[Line, ...]]]:
    """Yield passages of consecutive lines, each behind `head`."""
    head = plain_dates(head).text
    text, placed = head, list[Line]()
    for own, line in lines:
        if placed and len(text) - len(head) + len(own) > most_chars:
            yield text.rstrip(), tuple(placed)
            text, placed = head, []
        placed.append(_moved(line, len(text)))
        text += f"{own} "
    if placed:
        yield text.rstrip(), tuple(placed)


def _moved(line: Line, by: int) -> Line:
    cells = tuple(replace(cell, start=cell.start + by, end=cell.end + by) for cell in line.cells)
    return replace(line, start=line.start + by, end=line.end + by, cells=cells)

"""What an answer quotes of one of its sources: the sentence or the row, where it stands, and the words that answer."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import takewhile

from kohaku_lib.answering.answer import Answer
from kohaku_lib.answering.citing.quotes import find_quote
from kohaku_lib.answering.extractive.numbers.written_unit import number_as_written
from kohaku_lib.tables import Snippet
from kohaku_lib.text.table_rows import rows_with_head
from kohaku_lib.values.references import named_items


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quote of a source, a row below the head of its table; `marked` bounds the words in it that answer, if any do.

    `char_start` and `char_end` bound the sentence or row in the text of the source.
    """

    text: str
    marked: tuple[int, int] | None
    char_start: int
    char_end: int


def quoted(answer: Answer, snippet: Snippet, *, is_answer: bool = True) -> Quoted | None:
    r"""Return what `answer` quotes of `snippet`; None where it quotes nothing of it.

    With `is_answer` false the passages are only near the question, and no words of them answer.

    >>> from kohaku_lib.answering.citing.quotes import Citation
    >>> snippet = Snippet("d:p1", "d", "D", 1, "| Room | Seats |\n| --- | --- |\n| Birch | 24 |\n| Cedar | 9 |", 1, 1.0)
    >>> cited = Citation("d", "d:p1", 1, "| Birch | 24 |", quote_found=True, char_start=31, char_end=45)
    >>> found = quoted(Answer(question="How many seats?", text="24", value="24", citations=(cited,)), snippet)
    >>> found.text.split("\n")[-1], found.text[slice(*found.marked)], snippet.text[found.char_start : found.char_end]
    ('| Birch | 24 |', '24', '| Birch | 24 |')
    """
    if answer.outcome == "value":
        return _cited(answer, snippet)
    passage = next((one for one in answer.passages if one.node_id == snippet.node_id), None)
    span = _span(passage.text, passage.marked, snippet) if passage is not None else None
    if passage is None or span is None:
        return None
    text = rows_with_head(snippet.text, *span) or passage.text
    return Quoted(text, _last_place(snippet.text[slice(*span)], text) if is_answer else None, *span)


def in_node(quote: Quoted, snippet: Snippet, node_text: str) -> Quoted:
    """Return a quote of `snippet` with its place in the text of the node, of which the snippet may show a part.

    >>> snippet = Snippet("d:p1", "d", "D", 1, "It weighs 4 kg.", 1, 1.0)
    >>> quote = Quoted("It weighs 4 kg.", None, 0, 15)
    >>> placed = in_node(quote, snippet, "It weighs nothing. It is old. It weighs 4 kg.")
    >>> placed.char_start, placed.char_end
    (30, 45)
    """
    begin = node_text.find(snippet.text)
    start = begin + quote.char_start
    if begin < 0:  # the part is of several pieces
        start = max(0, node_text.find(snippet.text[quote.char_start : quote.char_end]))
    return replace(quote, char_start=start, char_end=start + quote.char_end - quote.char_start)


def _cited(answer: Answer, snippet: Snippet) -> Quoted | None:
    """Return the quote of the citation of `snippet`, with the value in it."""
    for one in answer.citations:
        if one.node_id == snippet.node_id and one.char_start is not None and one.char_end is not None:
            quote = snippet.text[one.char_start : one.char_end]
            stop = "".join(takewhile(".!?".__contains__, snippet.text[one.char_end : one.char_end + 3]))
            text = rows_with_head(snippet.text, one.char_start, one.char_end) or f"{quote}{stop}"
            below = text.rfind(quote.strip())  # the head of the table may have the same words
            written = (answer.text, number_as_written(answer.value or "", quote), answer.value or "")
            places = (_place(words, text, max(0, below)) for words in written)
            marked = next(filter(None, places), None) or _listed(answer.value or "", text, max(0, below))
            return Quoted(text, marked, one.char_start, one.char_end)
    return None


def _span(passage: str, marked: tuple[int, int], snippet: Snippet) -> tuple[int, int] | None:
    """Return where the marked words of a passage stand in its source."""
    words, begin = passage[slice(*marked)], snippet.text.find(passage)
    start = begin + marked[0] if begin >= 0 else snippet.text.find(words)
    if start >= 0 and words:
        return start, start + len(words)
    place = find_quote(words, [snippet]) if words else None
    return (place.char_start, place.char_end) if place else None


def _place(words: str, text: str, start: int) -> tuple[int, int] | None:
    """Return where `words` stand as whole words in `text` from `start` on."""
    found = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)", re.IGNORECASE).search(text, start) if words else None
    return found.span() if found else None


def _listed(value: str, text: str, start: int) -> tuple[int, int] | None:
    """Return where the items of a list stand in `text`, from the first to the last, unless one is missing."""
    places = [_place(item, text, start) for item in named_items(value)]
    found = [place for place in places if place is not None]
    return (min(found)[0], max(found)[1]) if found and len(found) == len(places) else None


def _last_place(words: str, text: str) -> tuple[int, int] | None:
    start = text.rfind(words)
    return (start, start + len(words)) if start >= 0 else None

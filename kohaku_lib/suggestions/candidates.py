"""The questions that one document suggests, made from its text; whether they are answered is not known yet."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from kohaku_lib.index import Snapshot
from kohaku_lib.suggestions.english import ENGLISH
from kohaku_lib.suggestions.german import GERMAN
from kohaku_lib.suggestions.headings import asked_heading, clean_heading
from kohaku_lib.suggestions.phrasing import Phrasing
from kohaku_lib.text.languages import language_of
from kohaku_lib.text.stems import AUTO, stemmer_of
from kohaku_lib.text.stop_words import filler_words, language_by_fillers
from kohaku_lib.text.table_rows import is_rule, row_cells
from kohaku_lib.text.tokens import tokens

PHRASINGS = {"english": ENGLISH, "german": GERMAN}  # in other languages nothing is asked
MOST_PARAGRAPHS = 200  # of a document that are read


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question about a document."""

    question: str
    document_id: str
    words: frozenset[str]  # that say what it is about
    kind: int  # of what it is made from: 0 for a sentence, then a cell, a label, a heading


def document_candidates(snapshot: Snapshot, document_id: str, node_id: str | None = None) -> list[Candidate]:
    """Return what a document suggests, best first: what it asks itself, then numbers and dates, tables, labels, headings.

    Among each kind those of the section of `node_id` come first, then those after it. Of two about one thing the first counts.
    """
    row = snapshot.row_of(document_id)
    paragraphs = list(islice(_paragraphs(snapshot, row, node_id), MOST_PARAGRAPHS))
    stated = language_of(json.loads(snapshot.column("metadata_json", [row])[0] or "{}"))
    # the metadata of documents of a few lines names no language
    said = (word for one in paragraphs for word in tokens(one.text))
    phrasing = PHRASINGS.get((stemmer_of(stated, AUTO) if stated else language_by_fillers(said)) or "")
    found: list[Candidate] = []
    for kind, questions in enumerate(_questions(paragraphs, phrasing) if phrasing is not None else ()):
        for question in questions:
            words = content_words(question)
            if words and not any(is_same_thing(words, other.words) for other in found):
                found.append(Candidate(question, document_id, words, kind))
    return found


def content_words(question: str) -> frozenset[str]:
    """Return the words of a question that say what it is about.

    >>> sorted(content_words("How many litres does the blue kettle hold?"))
    ['blue', 'hold', 'kettle', 'litres']
    """
    return frozenset(tokens(question)) - filler_words("english") - filler_words("german") - _PHRASES


def is_same_thing(some: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether questions of these words ask about one thing: most words of the shorter one are the other's.

    >>> is_same_thing(frozenset({"blue", "kettle", "hold"}), frozenset({"kettle", "hold", "weight"}))
    True
    """
    return 2 * len(some & others) > min(len(some), len(others))


_PHRASES = frozenset(("said", "given", "steht", "thema", "viele", "hoch", "lang", "lange", "wann", "groß", "long"))


@dataclass(frozen=True, slots=True)
class _Paragraph:
    title: str
    text: str
    sentences: tuple[str, ...]


def _paragraphs(snapshot: Snapshot, document: int, node_id: str | None) -> Iterator[_Paragraph]:
    sections = snapshot.children(document)
    if node_id is not None:
        row = snapshot.row_of(node_id)
        above = {row, *snapshot.parents(row, 9)}
        place = next((at for at, section in enumerate(sections) if section in above), 0)
        sections = [*sections[place:], *sections[:place]]
    for section in sections:
        for paragraph in snapshot.children(section):
            sentences = tuple(snapshot.text(one) for one in snapshot.children(paragraph))
            yield _Paragraph(snapshot.column("title", [paragraph])[0] or "", snapshot.text(paragraph), sentences)


def _questions(paragraphs: Sequence[_Paragraph], phrasing: Phrasing) -> Iterator[Iterator[str]]:
    """Yield the questions of each kind."""
    text = "\n".join(one.text for one in paragraphs)
    titles = list(dict.fromkeys(one.title for one in paragraphs))
    plain = [one for one in paragraphs if not one.text.startswith("```")]
    sentences = (phrasing.of_sentence(sentence, text) for one in plain for sentence in one.sentences or (one.text,))
    yield filter(None, chain(map(asked_heading, titles), sentences))
    yield filter(None, (phrasing.of_cell(row, column, text) for one in plain for row, column in _cells(one.text)))
    yield filter(None, (phrasing.of_label(label, text) for one in plain for label in _labels(one.text)))
    yield filter(None, (phrasing.of_heading(heading, text) for heading in filter(None, map(clean_heading, titles))))


def _labels(text: str) -> Iterator[str]:
    """Yield the labels before a colon and a number, each at the beginning of a line."""
    yield from (found["label"] for found in _LABEL.finditer(text))


_LABEL = re.compile(
    r"^(?:[-*•]\s+)?\**(?P<label>[A-ZÄÖÜ][^\W\d]{4,30}(?: [^\W\d][\w-]{1,20}){0,3})\**:\**\s+(?=[^\n|]{0,12}\d)(?![^\n]*\?)",
    re.MULTILINE,
)


def _cells(text: str) -> Iterator[tuple[str, str]]:
    """Yield row and column of the first number in the first row of a table that has a name."""
    lines = [line.strip() for line in text.split("\n") if "|" in line]
    if len(lines) <= _HEAD or not is_rule(lines[1]):
        return
    head = row_cells(lines[0])
    for line in lines[_HEAD:]:
        cells = row_cells(line)
        place = next((at for at, cell in enumerate(cells) if at and cell[:1].isdigit()), None)
        if place is None or place >= len(head):
            continue
        row, column = cells[0], _IN_BRACKETS.sub("", head[place]).strip()
        if _is_name(row) and _is_name(column) and row != column:
            yield row, column
            return


_HEAD = 2  # lines
_IN_BRACKETS = re.compile(r"\s*[(\[][^)\]]*[)\]]")
_LONGEST = 40


def _is_name(cell: str) -> bool:
    return 1 < len(cell) <= _LONGEST and any(map(str.isalpha, cell)) and not _BY_PROGRAM.fullmatch(cell)


_BY_PROGRAM = re.compile(r"(?:column|spalte|unnamed|untitled|unbenannt)[\s:_]*\d*", re.IGNORECASE)

"""Blocks of lines → paragraphs of a useful size, with their sentences and pages."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from kohaku_lib.settings import TreeSettings
from kohaku_lib.tables import ParagraphPayload, SentencePayload
from kohaku_lib.tree.leaf_spans import leaf_spans, line_spans
from kohaku_lib.tree.page_starts import PAGE_STARTS, PageStart, cut_page_starts, page_turns
from kohaku_lib.tree.resegmenting.blocks import Block
from kohaku_lib.tree.resegmenting.vocabulary import WordCounts

LEAST_CHARS = 300  # shorter paragraphs join their neighbour
MOST_CHARS = 1500  # longer ones are cut between sentences
_LONGEST_ENTRY = 500  # a longer entry of a bibliography is cut into sentences


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, the page on which it begins, whether a new line begins with it, and where further pages begin in it."""

    text: str
    page: int
    starts_line: bool
    later_pages: tuple[PageStart, ...] = ()


def paragraphs_of(
    blocks: Sequence[Block], vocabulary: WordCounts, settings: TreeSettings, language: str | None = None
) -> list[ParagraphPayload]:
    """Return the paragraphs of one section: running text first cut and joined to size, tables and captions apart.

    >>> from kohaku_lib.tree.resegmenting.page_lines import PageLine
    >>> block = Block("body", [PageLine("Training took six consec-", 1), PageLine("utive days. It used much energy.", 2)])
    >>> [paragraph] = paragraphs_of([block], WordCounts(block.lines), TreeSettings())
    >>> paragraph.text, [sentence.metadata for sentence in paragraph.sentences or ()]
    ('Training took six consecutive days. It used much energy.', [{'page': 1}, {'page': 2}])
    """
    paragraphs: list[ParagraphPayload] = []
    for is_float, run in groupby(_in_reading_order(blocks), key=lambda block: block.kind in _FLOATS):
        sized: list[list[Sentence]] = []
        for block in run:
            sized.extend(_sized_runs(_block_sentences(block, vocabulary, settings, language)))
        joined = _join_small(sized, same_page=is_float)
        paragraphs.extend(_paragraph_payload(sentences, is_float) for sentences in joined)
    return paragraphs


_FLOATS = frozenset(("table", "figure", "caption"))


def _in_reading_order(blocks: Sequence[Block]) -> list[Block]:
    """Return running text before the floats that fall between its pieces, so that small pieces can be joined."""
    return sorted(blocks, key=lambda block: block.kind in _FLOATS)


def _block_sentences(
    block: Block, vocabulary: WordCounts, settings: TreeSettings, language: str | None
) -> list[Sentence]:
    if block.kind in {"table", "figure"}:
        return _row_sentences(block, settings)
    text, pages = "", list[PageStart]()
    for line in block.lines:
        text = vocabulary.join_line(text, line.text)
        pages.append((len(text) - len(line.text), line.page))
    spans = [(0, len(text))]
    if block.kind != "entry" or len(text) > _LONGEST_ENTRY:
        spans = leaf_spans(text, settings, language)
    return [_sentence(text[start:end], start, pages) for start, end in spans]


def _sentence(text: str, start: int, pages: Sequence[PageStart]) -> Sentence:
    place = max(0, bisect_right(pages, start, key=lambda one: one[0]) - 1)
    page = pages[place][1]
    later = page_turns(cut_page_starts(pages[place:], start, start + len(text)), page)
    return Sentence(text, page, start == 0, later)


def _row_sentences(block: Block, settings: TreeSettings) -> list[Sentence]:
    text = "\n".join(line.text for line in block.lines)
    page = block.lines[0].page
    return [Sentence(text[start:end], page, True) for start, end in line_spans(text, settings.min_sentence_chars)]


def _sized_runs(sentences: list[Sentence]) -> Iterable[list[Sentence]]:
    """Yield `sentences` in runs of about equal length, none much longer than MOST_CHARS."""
    total = sum(len(sentence.text) + 1 for sentence in sentences)
    goal = total / max(1, math.ceil(total / MOST_CHARS))
    run: list[Sentence] = []
    length = 0
    for sentence in sentences:
        if run and length + len(sentence.text) / 2 > goal:
            yield run
            run, length = [], 0
        run.append(sentence)
        length += len(sentence.text) + 1
    if run:
        yield run


def _join_small(runs: Sequence[list[Sentence]], *, same_page: bool) -> list[list[Sentence]]:
    """Return `runs` with each run below LEAST_CHARS joined to a neighbour, as long as MOST_CHARS allows it."""
    joined: list[list[Sentence]] = []
    for run in runs:
        fits = bool(joined) and _run_length(joined[-1]) + _run_length(run) <= MOST_CHARS
        fits = fits and not (same_page and joined[-1][0].page != run[0].page)
        if fits and min(_run_length(joined[-1]), _run_length(run)) < LEAST_CHARS:
            joined[-1] = [*joined[-1], *run]
        else:
            joined.append(list(run))
    return joined


def _run_length(run: Sequence[Sentence]) -> int:
    return sum(len(sentence.text) + 1 for sentence in run)


def _paragraph_payload(sentences: Sequence[Sentence], is_float: bool) -> ParagraphPayload:
    first, *others = sentences
    text, pages = first.text, list(first.later_pages)
    for other in others:
        text += "\n" if other.starts_line else " "
        pages += [(len(text), other.page), *((len(text) + offset, page) for offset, page in other.later_pages)]
        text += other.text
    given = tuple(SentencePayload(sentence.text, {"page": sentence.page}) for sentence in sentences)
    metadata: dict[str, Any] = {"page": first.page, **({"float": True} if is_float else {})}
    if turns := page_turns(pages, first.page):
        metadata[PAGE_STARTS] = list(map(list, turns))
    return ParagraphPayload(text, given, metadata)

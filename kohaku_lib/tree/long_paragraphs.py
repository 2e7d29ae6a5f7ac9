"""Splitting of paragraphs that are too long to be cited as one place."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from kohaku_lib.tables import ParagraphPayload, SectionPayload
from kohaku_lib.tree.paragraph_leaves import LeafSentence, Leaves
from kohaku_lib.tree.paragraph_sizing import MOST_CHARS
from kohaku_lib.tree.parent_child import place_of_sentences
from kohaku_lib.tree.sentence_boxes import LINE_BOXES

LONG_CHARS = 2 * MOST_CHARS  # below it, a snippet around a match contains most of a paragraph
_PLACES = frozenset(("page", "bbox", "boxes", LINE_BOXES))


def cut_long_paragraphs(section: SectionPayload, leaves: Sequence[Leaves]) -> tuple[SectionPayload, list[Leaves]]:
    """Return `section` with running text of more than 3,000 characters cut between sentences, and its leaves.

    The pieces have about equal length, close to 1,500 characters as far as sentences allow, together contain all of
    the text, and have the location of their sentences. Tables, figures and shorter paragraphs stay. A search finds one
    place of a paragraph, so in one that goes on for pages all others would be lost.

    >>> from kohaku_lib.settings import TreeSettings
    >>> from kohaku_lib.tree.paragraph_leaves import paragraph_leaves
    >>> section = SectionPayload("S", (ParagraphPayload(" ".join(["The cat slept all day long."] * 120)),))
    >>> leaves = [paragraph_leaves(section.paragraphs[0], "d", {}, TreeSettings())]
    >>> [len(piece.text) for piece in cut_long_paragraphs(section, leaves)[1]]
    [1119, 1119, 1119]
    """
    pairs = [pair for payload, own in zip(section.paragraphs, leaves, strict=True) for pair in _pieces(payload, own)]
    return replace(section, paragraphs=tuple(payload for payload, _ in pairs)), [own for _, own in pairs]


def _pieces(payload: ParagraphPayload, leaves: Leaves) -> Iterator[tuple[ParagraphPayload, Leaves]]:
    if leaves.modality != "text" or len(leaves.text) <= LONG_CHARS or len(leaves.sentences) < 2:
        yield payload, leaves
        return
    runs = list(_runs(leaves))
    # Text between two sentences belongs to the first: sentences of a payload need not cover every word.
    bounds = [0, *(run[0].span[0] for run in runs[1:]), len(leaves.text)]
    for run, (start, end) in zip(runs, pairwise(bounds), strict=True):
        moved = [replace(one, span=(one.span[0] - start, one.span[1] - start)) for one in run]
        text = leaves.text[start:end].rstrip()
        yield ParagraphPayload(text, None, _metadata(payload, run)), replace(leaves, text=text, sentences=moved)


def _runs(leaves: Leaves) -> Iterator[list[LeafSentence]]:
    """Yield the sentences in runs; each ends nearest to its share of the text."""
    goal = len(leaves.text) / math.ceil(len(leaves.text) / MOST_CHARS)
    run: list[LeafSentence] = []
    ends = goal
    for sentence in leaves.sentences:
        start, end = sentence.span
        if run and (start + end) / 2 > ends:
            yield run
            run = []
            ends += goal * max(1, math.ceil((start - ends) / goal))
        run.append(sentence)
    yield run


def _metadata(payload: ParagraphPayload, run: Sequence[LeafSentence]) -> dict[str, Any]:
    """Return the metadata of the paragraph with the location of the piece."""
    place = place_of_sentences(run)
    gone = _PLACES if "page" in place else _PLACES - {"page"}
    return {key: value for key, value in payload.metadata.items() if key not in gone} | dict(place)

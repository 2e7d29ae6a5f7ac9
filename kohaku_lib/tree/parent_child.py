"""Another view of a section: parents of about equal size, cut into children that overlap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import Any

from kohaku_lib.settings import TreeSettings
from kohaku_lib.tables import ParagraphPayload, SectionPayload
from kohaku_lib.text.sentences import Span
from kohaku_lib.text.token_estimates import CHARACTERS_PER_TOKEN
from kohaku_lib.tree.page_boxes import bbox_of, page_of
from kohaku_lib.tree.page_starts import PageStart, cut_page_starts, page_turns
from kohaku_lib.tree.paragraph_leaves import LeafSentence, Leaves
from kohaku_lib.tree.sentence_boxes import LINE_BOXES


def parent_chunks(
    section: SectionPayload, leaves: Sequence[Leaves], settings: TreeSettings
) -> tuple[SectionPayload, list[Leaves]]:
    r"""Return `section` with its running text regrouped into parents, and what each of its paragraphs then becomes.

    A parent contains whole paragraphs up to `parent_tokens`; a longer paragraph is split between sentences. Children
    are runs of whole sentences up to `child_tokens` that overlap the previous child by up to `child_overlap_tokens`;
    a longer sentence is split after a `;`, a `,` or a word. Tables and figures are unchanged, with their rows as
    children. Tokens are estimated as characters / 4.

    >>> from kohaku_lib.tree.paragraph_leaves import paragraph_leaves
    >>> settings = TreeSettings(view="parent_child", parent_tokens=40, child_tokens=10, child_overlap_tokens=0)
    >>> section = SectionPayload("S", (ParagraphPayload("Cats sleep a lot."), ParagraphPayload("Dogs like to run.")))
    >>> leaves = [paragraph_leaves(paragraph, "d", {}, settings) for paragraph in section.paragraphs]
    >>> regrouped, [parent] = parent_chunks(section, leaves, settings)
    >>> parent.text, [child.text for child in parent.sentences]
    ('Cats sleep a lot.\n\nDogs like to run.', ['Cats sleep a lot.\n\nDogs like to run.'])
    """
    chunks: list[tuple[ParagraphPayload, Leaves]] = []
    pairs = zip(section.paragraphs, leaves, strict=True)
    for running, run in groupby(pairs, key=lambda pair: pair[1].modality == "text" and pair[1].searchable):
        members = list(run)
        chunks.extend(_parents_of_run(members, settings) if running else members)
    return replace(section, paragraphs=tuple(payload for payload, _ in chunks)), [parent for _, parent in chunks]


def span_runs(spans: Sequence[Span], most: int, overlap: int = 0) -> list[range]:
    """Return runs of consecutive `spans` (in order) that reach over at most `most` characters, a longer one alone.

    Each run begins with the first span that starts at most `overlap` characters before the end of the run before,
    and always brings at least one new span.

    >>> span_runs([(0, 4), (5, 9), (10, 14), (15, 19)], most=9, overlap=4)
    [range(0, 2), range(1, 3), range(2, 4)]
    """
    if not spans:
        return []
    runs: list[range] = []
    first = 0
    while not runs or runs[-1].stop < len(spans):
        last = runs[-1].stop if runs else 0
        while first < last and spans[last][1] - spans[first][0] > most:
            first += 1
        while last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= most:
            last += 1
        runs.append(range(first, last + 1))
        first = last + 1
        while first - 1 > runs[-1].start and spans[last][1] - spans[first - 1][0] <= overlap:
            first -= 1
    return runs


@dataclass(frozen=True, slots=True)
class _ParentPart:
    """A paragraph, or a stretch of a long one, with its sentences."""

    payload: ParagraphPayload
    text: str
    sentences: Sequence[LeafSentence]
    page_starts: tuple[PageStart, ...]

    @property
    def page(self) -> int | None:
        """The page on which it begins."""
        own = page_of(self.sentences[0].metadata) if self.sentences else None
        return own or page_of(self.payload.metadata)


def _parents_of_run(
    run: Sequence[tuple[ParagraphPayload, Leaves]], settings: TreeSettings
) -> Iterator[tuple[ParagraphPayload, Leaves]]:
    most = settings.parent_tokens * CHARACTERS_PER_TOKEN
    parts = [part for payload, leaves in run for part in _paragraph_parts(payload, leaves, most)]
    for group in span_runs(_part_spans(parts), most):
        yield _parent_chunk(parts[group.start : group.stop], settings)


def _part_spans(parts: Sequence[_ParentPart]) -> list[Span]:
    """Return the offset of each part in the joined text."""
    ends = list(accumulate((len(part.text) + len(_SEPARATOR) for part in parts), initial=0))
    return [(start, start + len(part.text)) for start, part in zip(ends[:-1], parts, strict=True)]


_SEPARATOR = "\n\n"


def _paragraph_parts(payload: ParagraphPayload, leaves: Leaves, most: int) -> Iterator[_ParentPart]:
    if len(leaves.text) <= most or not leaves.sentences:
        yield _ParentPart(payload, leaves.text, leaves.sentences, leaves.page_starts)
        return
    for group in span_runs([sentence.span for sentence in leaves.sentences], most):
        sentences = leaves.sentences[group.start : group.stop]
        start, end = sentences[0].span[0], sentences[-1].span[1]
        moved = [_move_sentence(sentence, -start) for sentence in sentences]
        yield _ParentPart(payload, leaves.text[start:end], moved, cut_page_starts(leaves.page_starts, start, end))


def _move_sentence(sentence: LeafSentence, by: int) -> LeafSentence:
    return replace(sentence, span=(sentence.span[0] + by, sentence.span[1] + by))


def _parent_chunk(parts: Sequence[_ParentPart], settings: TreeSettings) -> tuple[ParagraphPayload, Leaves]:
    text = _SEPARATOR.join(part.text for part in parts)
    sentences = [
        _move_sentence(_with_page(sentence, part), start)
        for part, (start, _) in zip(parts, _part_spans(parts), strict=True)
        for sentence in part.sentences
    ]
    metadata = parts[0].payload.metadata
    if len(parts) > 1:  # the boxes of one paragraph are not those of all
        metadata = {key: value for key, value in metadata.items() if key not in {"bbox", "boxes", LINE_BOXES}}
    payload = ParagraphPayload(text, None, dict(metadata))
    places = [
        (start + offset, page)
        for part, (start, _) in zip(parts, _part_spans(parts), strict=True)
        for offset, page in ((0, part.page), *part.page_starts)
        if page
    ]
    starts = page_turns(places, parts[0].page)
    return payload, Leaves(text, "text", True, _child_sentences(text, sentences, settings), starts)


def _with_page(sentence: LeafSentence, part: _ParentPart) -> LeafSentence:
    """Return the sentence with the page of its paragraph where it has none itself."""
    page = page_of(sentence.metadata) or page_of(part.payload.metadata)
    return replace(sentence, metadata={**sentence.metadata, "page": page}) if page else sentence


def _child_sentences(text: str, sentences: Sequence[LeafSentence], settings: TreeSettings) -> list[LeafSentence]:
    most, overlap = (tokens * CHARACTERS_PER_TOKEN for tokens in (settings.child_tokens, settings.child_overlap_tokens))
    pieces = [piece for sentence in sentences for piece in _sentence_pieces(text, sentence, most)]
    children: list[LeafSentence] = []
    for group in span_runs([piece.span for piece in pieces], most, overlap):
        members = pieces[group.start : group.stop]
        span = members[0].span[0], members[-1].span[1]
        children.append(LeafSentence(span, text[slice(*span)], place_of_sentences(members)))
    return children


def _sentence_pieces(text: str, sentence: LeafSentence, most: int) -> Iterator[LeafSentence]:
    """Yield the sentence in pieces of at most `most` characters, each cut at the strongest break it contains."""
    start, end = sentence.span
    while end - start > most:
        window = text[start : start + most]
        breaks = (window.rfind(mark) + len(mark) for mark in _BREAKS)
        cut = start + (next((place for place in breaks if place > most // 2), 0) or most)
        yield replace(sentence, span=(start, start + len(text[start:cut].rstrip())))
        start = cut
    yield replace(sentence, span=(start, end))


_BREAKS = ("\n", "; ", ", ", " ")


def place_of_sentences(members: Sequence[LeafSentence]) -> Mapping[str, Any]:
    """Return the page on which the members begin, and their boxes."""
    page = page_of(members[0].metadata)
    boxes = [box for member in members for box in _stated_boxes(member.metadata)]
    place: dict[str, Any] = {"page": page} if page else {}
    if boxes:
        place |= {"bbox": boxes[0][1:]}
    return {**place, "boxes": boxes} if len(boxes) > 1 else place


def _stated_boxes(metadata: Mapping[str, Any]) -> list[list[float]]:
    known = metadata.get("boxes")
    if isinstance(known, list):
        return known
    page, box = page_of(metadata), bbox_of(metadata)
    return [[page, *box]] if page and box else []

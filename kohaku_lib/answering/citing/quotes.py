"""Locate and verify quotes in cited snippets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from kohaku_lib.answering.figures import FigureSnippet
from kohaku_lib.tables import Snippet
from kohaku_lib.text.equal_signs import equal_letter

_MIN_QUOTE_CHARS = 8  # without whitespace; shorter quotes are not significant
_MIN_SIMILAR_CHARS = 12
_MIN_SIMILARITY = 90.0  # per cent
_ELLIPSIS = re.compile(r"\[?(?:\.\.\.+|…)\]?")
_QUOTATION = re.compile(r"(?<!\w)[\"'“‘](.{12,}?)[\"'”’](?!\w)", re.DOTALL)
_DASHES = str.maketrans("", "", "-–—−")  # line breaks may add hyphens
_FOOTNOTES = re.compile(r"\[\d{1,3}(?:[,–-]\s*\d{1,3})*\]")  # numbering differs between versions of a paper
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Citation:
    """A cited document with its most relevant node and page, and the quote, if any.

    `quote_found` is whether a snippet of the document contains the quote; `char_start` and `char_end` bound it in the text
    of that node, None if it is not there. `supports_value` is whether the quote states the value of the answer, None
    where that cannot be told, and `converted_from` what it says in another unit or scale. `heading` are the headings above
    the node, outermost first.
    """

    document_id: str
    node_id: str | None
    page: int | None
    quote: str | None
    quote_found: bool
    char_start: int | None = None
    char_end: int | None = None
    supports_value: bool | None = None
    converted_from: str | None = None
    heading: str = ""


@dataclass(frozen=True, slots=True)
class QuotePlace:
    """The snippet that contains a quote, and the quote's character span."""

    snippet: Snippet
    char_start: int
    char_end: int


def cite(
    refs: Sequence[str],
    quote: str | None,
    snippets: Sequence[Snippet],
    cited_nodes: Sequence[str] = (),
    value: str = "",
) -> tuple[Citation, ...]:
    """Return one citation per document of `refs`.

    The citation of the document whose snippet contains the quote has it, verified. If no snippet of a cited document
    contains it, the first document's citation has it, unverified. The others point to their best snippet, one of
    `cited_nodes` if there are any. A document that only duplicates another document's snippet gets its quote but no node.
    The page of a verified quote is that of the `value` in it, else that on which the quote begins.

    >>> snippet = Snippet("d:sec1:p1", "d", "D", 3, "It weighs 4 kg in all.", 1, 0.9)
    >>> citation = cite(["d"], "weighs 4 kg", [snippet])[0]
    >>> citation.page, citation.quote_found, snippet.text[citation.char_start : citation.char_end]
    (3, True, 'weighs 4 kg')
    """
    place = find_quote(quote, [snippet for snippet in snippets if _cited_document(snippet, refs)]) if quote else None
    best_by_document: dict[str, Snippet] = {}
    for snippet in sorted(snippets, key=lambda snippet: snippet.node_id not in cited_nodes):
        best_by_document.setdefault(snippet.document_id, snippet)
    quoted_ref = _cited_document(place.snippet, refs) if place else next(iter(refs), None)
    return tuple(
        _quote_citation(ref, best_by_document.get(ref), quote, place, value)
        if ref == quoted_ref
        else _snippet_citation(ref, best_by_document.get(ref))
        for ref in refs
    )


def cite_nodes(
    nodes: Sequence[str], quote: str | None, snippets: Sequence[Snippet], value: str = ""
) -> tuple[Citation, ...]:
    """Return one citation per node of `nodes` among `snippets`; that of the one which contains the quote has it, verified.

    >>> shown = [Snippet("d:p1", "d", "D", 3, "It is old.", 1, 0.9), Snippet("d:p2", "d", "D", 4, "It weighs 4 kg.", 2, 0.8)]
    >>> [(one.node_id, one.page, one.quote) for one in cite_nodes(["d:p2", "d:p1"], "It weighs 4 kg", shown)]
    [('d:p2', 4, 'It weighs 4 kg'), ('d:p1', 3, None)]
    """
    by_id = {snippet.node_id: snippet for snippet in reversed(snippets)}
    own = [by_id[node] for node in nodes if node in by_id]
    place = find_quote(quote, own) if quote else None
    return tuple(
        _quote_citation(one.document_id, one, quote, place, value)
        if place is not None and place.snippet is one
        else _snippet_citation(one.document_id, one)
        for one in own
    )


def find_quote(quote: str, snippets: Sequence[Snippet]) -> QuotePlace | None:
    """Return the position of `quote` in the first snippet that contains it, ignoring whitespace, hyphens, case and typography.

    Falls back to a passage of at least 90 % similarity with the same numbers, then to the same for the text inside
    quotation marks in `quote`. None if nothing matches or the quote is too short. The parts around an ellipsis may be
    apart; the position spans all of them.

    >>> snippet = Snippet("n", "d", "D", None, "The total of 4.3 net tCO 2 e was emitted.", 1, 0.9)
    >>> place = find_quote("4.3 net tCO2e was … emitted", [snippet])
    >>> snippet.text[place.char_start : place.char_end], find_quote("4.9 net tCO2e was", [snippet])
    ('4.3 net tCO 2 e was emitted', None)
    """
    texts = [(snippet, _normalize(snippet.text)) for snippet in snippets]
    quoted: list[str] = _QUOTATION.findall(quote)
    for wording in (quote, *sorted(quoted, key=len, reverse=True)):
        place = _find_wording(wording, texts)
        if place is not None:
            return place
    return None


def _find_wording(wording: str, texts: Sequence[tuple[Snippet, _NormalizedText]]) -> QuotePlace | None:
    parts = [
        part for part in (_strip_punctuation(_normalize(piece).letters) for piece in _ELLIPSIS.split(wording)) if part
    ]
    if sum(map(len, parts)) < _MIN_QUOTE_CHARS:
        return None
    for find in (_exact_span, _similar_span):
        for snippet, text in texts:
            spans = [find(part, text.letters) for part in parts]
            if all(spans):
                return _quote_place(snippet, text, [span for span in spans if span])
    return None


def _quote_place(snippet: Snippet, text: _NormalizedText, spans: Sequence[tuple[int, int]]) -> QuotePlace:
    first, last = min(start for start, _ in spans), max(end for _, end in spans) - 1
    return QuotePlace(snippet, text.places[first], text.places[last] + 1)


def _cited_document(snippet: Snippet, refs: Sequence[str]) -> str | None:
    """Return the first document of `refs` that contains the text of `snippet`, its source document first; None if none does."""
    return next((name for name in (snippet.document_id, *snippet.also_in) if name in refs), None)


def _quote_citation(
    ref: str, best: Snippet | None, quote: str | None, place: QuotePlace | None, value: str
) -> Citation:
    if place is None or place.snippet.document_id != ref:
        return replace(_snippet_citation(ref, best), quote=quote, quote_found=place is not None)
    citation = replace(_snippet_citation(ref, place.snippet), quote=quote, quote_found=True)
    page = place.snippet.page_at(_value_start(place, value))
    return replace(citation, page=page, char_start=place.char_start, char_end=place.char_end)


def _value_start(place: QuotePlace, value: str) -> int:
    """Return where the value stands in the snippet of the quote; where the quote begins if it does not contain it."""
    quoted = place.snippet.text[place.char_start : place.char_end]
    stated = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", quoted, re.IGNORECASE) if value else None
    return place.char_start + (stated.start() if stated else 0)


def _snippet_citation(ref: str, snippet: Snippet | None) -> Citation:
    node_id = None if snippet is None or isinstance(snippet, FigureSnippet) else snippet.node_id
    page, heading = (snippet.page, snippet.heading) if snippet else (None, "")
    return Citation(ref, node_id, page, None, quote_found=False, heading=heading)


@dataclass(frozen=True, slots=True)
class _NormalizedText:
    """The normalised letters of a text (no whitespace, hyphens, footnotes or case), each with its original index."""

    letters: str
    places: tuple[int, ...]


@lru_cache(maxsize=4096)
def _normalize(text: str) -> _NormalizedText:
    letters: list[str] = []
    places: list[int] = []
    ignored = {place for match in _FOOTNOTES.finditer(text) for place in range(*match.span())}
    for place, character in enumerate(text):
        folded = _FOLDED_CHARACTERS.get(character)
        if folded is None:
            folded = _FOLDED_CHARACTERS.setdefault(character, _fold_character(character))
        if folded and place not in ignored:
            letters.append(folded)
            places.extend([place] * len(folded))
    return _NormalizedText("".join(letters), tuple(places))


def _fold_character(character: str) -> str:
    return "".join(equal_letter(character).translate(_DASHES).casefold().split())


def _strip_punctuation(letters: str) -> str:
    return letters.strip("\"'.,;:")


def _exact_span(part: str, text: str) -> tuple[int, int] | None:
    start = text.find(part)
    return (start, start + len(part)) if start >= 0 else None


def _similar_span(part: str, text: str) -> tuple[int, int] | None:
    from rapidfuzz.fuzz import partial_ratio_alignment

    if len(part) < _MIN_SIMILAR_CHARS or len(part) > len(text):
        return None
    alignment = partial_ratio_alignment(part, text, score_cutoff=_MIN_SIMILARITY)
    if alignment is None:
        return None
    surroundings = text[max(0, alignment.dest_start - 3) : alignment.dest_end + 3]
    has_same_numbers = set(_NUMBER.findall(part)) <= set(_NUMBER.findall(surroundings))
    return (alignment.dest_start, alignment.dest_end) if has_same_numbers else None


_FOLDED_CHARACTERS: dict[str, str] = {}  # normalised form by character

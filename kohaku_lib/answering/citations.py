"""Whether a quote stands in the cited text, and where."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from kohaku_lib.tables import Snippet

_LEAST_CHARS = 8  # without spaces; a shorter quote proves nothing
_LEAST_SIMILAR_CHARS = 12
_LEAST_SIMILARITY = 90.0  # per cent
_ELLIPSIS = re.compile(r"\[?(?:\.\.\.+|…)\]?")
_QUOTED = re.compile(r"(?<!\w)[\"'“‘](.{12,}?)[\"'”’](?!\w)", re.DOTALL)
_PLAIN = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'"} | dict.fromkeys("-–—−‐‑\u00ad")  # a line's end may add a hyphen
)
_FOOTNOTES = re.compile(r"\[\d{1,3}(?:[,–-]\s*\d{1,3})*\]")  # versions of a paper number them differently
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Citation:
    """A cited document with the best place to look: a node, its page, and the quote, verified or not."""

    document_id: str
    node_id: str | None
    page: int | None
    quote: str | None
    verified: bool


def cite(refs: Sequence[str], quote: str | None, snippets: Sequence[Snippet]) -> tuple[Citation, ...]:
    """Return one citation per document of `refs`.

    The document whose snippet holds the quote carries it, verified. Where no snippet of a cited document does, the
    first document carries it unverified. The others point to their best snippet. A document that only repeats what a
    snippet of another one says bears its quote, but points to no node.

    >>> snippet = Snippet("d:sec1:p1", "d", "D", 3, "It weighs 4 kg in all.", 1, 0.9)
    >>> cite(["d"], "it weighs 4 kg", [snippet])
    (Citation(document_id='d', node_id='d:sec1:p1', page=3, quote='it weighs 4 kg', verified=True),)
    """
    holder = find_quote(quote, [snippet for snippet in snippets if _cited(snippet, refs)]) if quote else None
    best: dict[str, Snippet] = {}
    for snippet in ([holder] if holder else []) + list(snippets):
        best.setdefault(snippet.document_id, snippet)
    bearer = _cited(holder, refs) if holder else next(iter(refs), None)
    return tuple(_citation(ref, best.get(ref), quote if ref == bearer else None, holder is not None) for ref in refs)


def find_quote(quote: str, snippets: Sequence[Snippet]) -> Snippet | None:
    """Return the first snippet that holds `quote`, to the letter but for spaces, hyphens, case and typography.

    Failing that, the one that holds a piece at least 90 % like it with the same numbers; failing that, the same for
    what stands between quotation marks in `quote`. None where there is none, or where the quote is too short to
    prove anything. The parts around an ellipsis may stand apart.

    >>> snippet = Snippet("n", "d", "D", None, "The total of 4.3 net tCO 2 e was emitted.", 1, 0.9)
    >>> find_quote("4.3 net tCO2e was … emitted", [snippet]) is snippet, find_quote("4.9 net tCO2e was", [snippet])
    (True, None)
    """
    texts = [(snippet, _squeezed(snippet.text)) for snippet in snippets]
    for wording in (quote, *sorted(_QUOTED.findall(quote), key=len, reverse=True)):
        found = _find_wording(wording, texts)
        if found is not None:
            return found
    return None


def _find_wording(wording: str, texts: Sequence[tuple[Snippet, str]]) -> Snippet | None:
    parts = [part for part in map(_squeezed, _ELLIPSIS.split(wording)) if part]
    if sum(map(len, parts)) < _LEAST_CHARS:
        return None
    exact = (snippet for snippet, text in texts if all(part in text for part in parts))
    similar = (snippet for snippet, text in texts if all(_resembles(part, text) for part in parts))
    return next(exact, None) or next(similar, None)


def _cited(snippet: Snippet, refs: Sequence[str]) -> str | None:
    """Return the first document of `refs` that says what `snippet` does, its own before others; None where none does."""
    return next((name for name in (snippet.document_id, *snippet.also_in) if name in refs), None)


def _citation(ref: str, snippet: Snippet | None, quote: str | None, found: bool) -> Citation:
    node_id, page = (snippet.node_id, snippet.page) if snippet else (None, None)
    return Citation(ref, node_id, page, quote, quote is not None and found)


def _squeezed(text: str) -> str:
    """Return the letters of `text` that a quote must keep: no spaces, hyphens or case, plain quotation marks."""
    folded = unicodedata.normalize("NFKC", _FOOTNOTES.sub("", text)).translate(_PLAIN).casefold()
    return "".join(folded.split()).strip("\"'.,;:")


def _resembles(part: str, text: str) -> bool:
    from rapidfuzz.fuzz import partial_ratio_alignment

    if len(part) < _LEAST_SIMILAR_CHARS or len(part) > len(text):
        return False
    found = partial_ratio_alignment(part, text, score_cutoff=_LEAST_SIMILARITY)
    if found is None:
        return False
    near = text[max(0, found.dest_start - 3) : found.dest_end + 3]
    return set(_NUMBER.findall(part)) <= set(_NUMBER.findall(near))

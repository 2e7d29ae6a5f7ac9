"""The sentences of the retrieved snippets, weighed by what they share with the question."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from kohaku_lib.answering.reader.question import QuestionForm
from kohaku_lib.answering.reader.text import Token, sentence_spans, stem_of, tokens_of
from kohaku_lib.tables import Snippet


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence (or table row) of a snippet; `support` is its share of the question's weight, context included."""

    text: str
    document_id: str
    rank: int
    tokens: tuple[Token, ...]
    places: tuple[float, ...]  # of the tokens, in words; punctuation pushes them apart
    stems: frozenset[str]
    own: float
    support: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """All distinct sentences in the order of retrieval, with the question's term weights.

    `stem_to_weight` sums to 1 over the question's stems; `missing` is the share of stems found nowhere;
    `document_to_share` is each document's share of the retrieval's rank mass, the best one at 1.
    """

    sentences: tuple[Sentence, ...]
    stem_to_weight: dict[str, float]
    missing: float
    document_to_share: dict[str, float]
    stems: frozenset[str] = field(default_factory=frozenset)


def gather_evidence(form: QuestionForm, snippets: Sequence[Snippet]) -> Evidence:
    """Return the evidence for `form`; no snippets give no sentences and everything missing.

    A stem weighs its inverse sentence frequency, names and numbers more, words of phrasing less. A sentence's
    support counts its own stems fully, those of its neighbours by half, of its snippet and title by less.
    """
    rows = _split(snippets)
    frequency = Counter(stem for row in rows for stem in row.stems)
    weights = _weights(form, frequency, len(rows))
    shares = _document_shares(form, snippets)
    sentences = _supported(rows, snippets, weights)
    seen = frozenset(frequency)
    titles = frozenset(token.stem for snippet in snippets for token in tokens_of(snippet.document_title))
    missing = sum(weight for stem, weight in weights.items() if stem not in seen and stem not in titles)
    return Evidence(sentences, weights, missing, shares, seen | titles)


PHRASING = frozenset(
    stem_of(word)
    for word in """approximate approximately roughly estimated estimate according recent recently paper study report reported name called
    term number amount total value percentage percent many following given based compared observed average authors typical typically
    describe described present presented article state stated mention mentioned indicate indicated provide include
    list example case result results find found show shown projected range expected one two specific specifically""".split()
)
_GAPS = {",": 2.0, ";": 4.0, ":": 1.0, "(": 1.0, ")": 1.0, "|": 1.0, ".": 4.0, "\n": 4.0, "•": 4.0}  # in words
_CONTEXT_SHARES = (0.5, 0.25, 0.2)  # neighbours, snippet, title


@dataclass(frozen=True, slots=True)
class _Row:
    snippet: int
    text: str
    tokens: tuple[Token, ...]
    stems: frozenset[str]


def _split(snippets: Sequence[Snippet]) -> list[_Row]:
    rows: list[_Row] = []
    seen: set[tuple[str, str]] = set()
    for place, snippet in enumerate(snippets):
        for start, end in sentence_spans(snippet.text):
            text = snippet.text[start:end]
            key = (snippet.document_id, text)
            if key in seen:
                continue
            seen.add(key)
            tokens = tokens_of(text)
            rows.append(_Row(place, text, tokens, frozenset(token.stem for token in tokens)))
    return rows


def _weights(form: QuestionForm, frequency: Counter[str], total: int) -> dict[str, float]:
    named = {token.stem for name in form.entities for token in tokens_of(name)}
    weights = {stem: _idf(frequency[stem], total) * _boost(stem, named, form.unit_stems) for stem in form.stems}
    whole = sum(weights.values())
    return {stem: weight / whole for stem, weight in weights.items()} if whole else {}


def _idf(found_in: int, total: int) -> float:
    return math.log(1 + (total - found_in + 0.5) / (found_in + 0.5))


def _boost(stem: str, named: set[str], unit_stems: frozenset[str]) -> float:
    if stem in PHRASING:
        return 0.3
    if stem in named or stem[0].isdigit():
        return 1.4
    return 0.7 if stem in unit_stems else 1.0


def _document_shares(form: QuestionForm, snippets: Sequence[Snippet]) -> dict[str, float]:
    mass: dict[str, float] = {}
    named = {token.stem for name in form.entities for token in tokens_of(name)}
    for place, snippet in enumerate(snippets):
        mass[snippet.document_id] = mass.get(snippet.document_id, 0.0) + 1.0 / (place + 3)
    for document_id in mass:
        parts = {token.stem.rstrip("0123456789") for token in tokens_of(document_id)}
        years = {year for year in form.years if year in document_id}
        if named & parts and (years or len(parts) == 1):
            mass[document_id] *= 1.5
    best = max(mass.values(), default=1.0)
    return {document_id: value / best for document_id, value in mass.items()}


def _supported(rows: list[_Row], snippets: Sequence[Snippet], weights: dict[str, float]) -> tuple[Sentence, ...]:
    snippet_stems = [frozenset(token.stem for token in tokens_of(snippet.text)) for snippet in snippets]
    title_stems = [frozenset(token.stem for token in tokens_of(snippet.document_title)) for snippet in snippets]
    sentences = []
    for place, row in enumerate(rows):
        near = _neighbours(rows, place)
        layers = (near, snippet_stems[row.snippet], title_stems[row.snippet])
        own = sum(weight for stem, weight in weights.items() if stem in row.stems)
        support = own + sum(
            weight * _layer_share(stem, layers) for stem, weight in weights.items() if stem not in row.stems
        )
        snippet = snippets[row.snippet]
        sentences.append(
            Sentence(row.text, snippet.document_id, row.snippet, row.tokens, _places(row), row.stems, own, support)
        )
    return tuple(sentences)


def _places(row: _Row) -> tuple[float, ...]:
    places, place, end = [], 0.0, 0
    for token in row.tokens:
        place += 1 + sum(_GAPS.get(sign, 0.0) for sign in row.text[end : token.start])
        places.append(place)
        end = token.end
    return tuple(places)


def _neighbours(rows: list[_Row], place: int) -> frozenset[str]:
    around = [rows[i] for i in (place - 1, place + 1) if 0 <= i < len(rows) and rows[i].snippet == rows[place].snippet]
    return frozenset[str]().union(*(row.stems for row in around))


def _layer_share(stem: str, layers: tuple[frozenset[str], ...]) -> float:
    return next((share for layer, share in zip(layers, _CONTEXT_SHARES, strict=True) if stem in layer), 0.0)

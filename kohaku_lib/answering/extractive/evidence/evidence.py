"""Sentences of the retrieved snippets, weighted by their overlap with the question."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kohaku_lib.answering.extractive.evidence.conventions import UNKNOWN, Conventions, conventions_of
from kohaku_lib.answering.extractive.evidence.lines import header_of
from kohaku_lib.answering.extractive.evidence.statements import Statement, statements_of
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.text import Token, term_of, tokens_of
from kohaku_lib.tables import Snippet
from kohaku_lib.text.word_lists import words


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence or table row of a snippet.

    `coverage` is the share of the question's weight in the sentence itself, `support` that share including its context.
    """

    text: str
    document_id: str
    rank: int
    tokens: tuple[Token, ...]
    places: tuple[float, ...]  # positions of the tokens in words; punctuation adds distance
    stems: frozenset[str]
    coverage: float
    support: float
    header: str  # of the table if this is a row, otherwise ""
    conventions: Conventions = UNKNOWN
    caveat: str = ""  # the next sentence of the snippet if it begins with "However" or similar


@dataclass(frozen=True, slots=True)
class Evidence:
    """All distinct sentences in retrieval order, with the question's term weights.

    Attributes:
        sentences: The sentences.
        stem_to_weight: Weight of each question stem; they sum to 1.
        missing_names: Weight of names and years that no snippet contains.
        missing_words: Weight of other missing stems, except those of the requested unit.
        document_to_share: Share of the rank mass by document, 1 for the best one.
        stems: Stems in sentences, titles and document ids.
    """

    sentences: tuple[Sentence, ...]
    stem_to_weight: dict[str, float]
    missing_names: float
    missing_words: float
    document_to_share: dict[str, float]
    stems: frozenset[str]


def gather_evidence(form: QuestionForm, snippets: Sequence[Snippet]) -> Evidence:
    """Return the evidence for `form`; without snippets there are no sentences and all terms are missing.

    Stems are weighted by inverse sentence frequency, names and numbers higher, generic phrasing lower. A sentence's
    support counts its own stems fully, those of neighbouring sentences by half, those of snippet and title less.
    """
    rows = _split_rows(snippets)
    asked = frozenset(form.stems)
    frequency = Counter(stem for row in rows for stem in asked & row.said.stems)
    weights = _stem_weights(form, frequency, len(rows))
    shares = _document_shares(form, snippets)
    sentences = _build_sentences(rows, snippets, weights)
    titles = frozenset(stem for snippet in snippets for stem in _stems_in(snippet.place))
    authors = frozenset[str]().union(*(_id_words(snippet.document_id) for snippet in snippets))
    seen = titles.union(authors, *(row.said.stems for row in rows))
    names = _named_stems(form) | form.years
    missing = {stem: weight for stem, weight in weights.items() if stem not in seen.union(form.unit_stems, PHRASING)}
    missing_names = sum(weight for stem, weight in missing.items() if stem in names)
    missing_words = sum(missing.values()) - missing_names
    missing_names += _MODEL_SHARE * _missing_models(form, snippets)
    return Evidence(sentences, weights, missing_names, missing_words, shares, seen)


PHRASING = frozenset(
    map(
        term_of,
        words(
            """approximate approximately roughly estimated estimate according recent recently paper study report reported
            name called term number amount total value percentage percent many following given based compared observed
            average authors typical typically share describe described present presented article state stated mention
            mentioned indicate indicated provide include list example case result results find found show shown
            difference ratio year projected range lie last occur happen
            fy fiscal originally initially afterwards finally eventually expected one two specific specifically"""
        ),
    )
)
_MODEL = re.compile(r"[A-Za-z]+-\d[\w.]*")
_MODEL_SHARE = 0.2  # share of the question's weight per missing model name
_HEADER_SHARE = 0.7  # weight of a header word for a row of the table
_MAX_TABLE_ROWS = 40  # rows searched backwards for a header
_CAVEATS = ("However", "But ", "Yet ", "Nevertheless", "Nonetheless", "Still,", "Unfortunately")
_NEITHER_LETTER_NOR_DIGIT = re.compile(r"[\W_]+")
_CONTEXT_SHARES = (0.5, 0.25, 0.2)  # neighbours, snippet, title


@dataclass(frozen=True, slots=True)
class _Row:
    snippet: int
    said: Statement


def _missing_models(form: QuestionForm, snippets: Sequence[Snippet]) -> int:
    """Return the number of names such as "GPT-5" that no snippet contains, regardless of hyphenation."""
    models = [_alphanumeric(name) for name in form.entities if _MODEL.fullmatch(name)]
    if not models:
        return 0
    whole = _alphanumeric(" ".join(f"{snippet.place} {snippet.text}" for snippet in snippets))
    return sum(model not in whole for model in models)


def _alphanumeric(text: str) -> str:
    return _NEITHER_LETTER_NOR_DIGIT.sub("", text.lower())


def _split_rows(snippets: Sequence[Snippet]) -> list[_Row]:
    rows: list[_Row] = []
    seen: set[tuple[str, str]] = set()
    for place, snippet in enumerate(snippets):
        for said in statements_of(snippet.text):
            key = (snippet.document_id, said.text)
            if key not in seen:
                seen.add(key)
                rows.append(_Row(place, said))
    return rows


def _stem_weights(form: QuestionForm, frequency: Counter[str], total: int) -> dict[str, float]:
    named = _named_stems(form)
    weights = {stem: _idf(frequency[stem], total) * _boost(stem, named, form.unit_stems) for stem in form.stems}
    whole = sum(weights.values())
    return {stem: weight / whole for stem, weight in weights.items()} if whole else {}


def _named_stems(form: QuestionForm) -> frozenset[str]:
    return frozenset(token.stem for name in form.entities for token in tokens_of(name))


def _idf(found_in: int, total: int) -> float:
    return math.log(1 + (total - found_in + 0.5) / (found_in + 0.5))


def _boost(stem: str, named: frozenset[str], unit_stems: frozenset[str]) -> float:
    if stem in PHRASING:
        return 0.3
    if stem in named or stem[0].isdigit():
        return 1.4
    return 0.7 if stem in unit_stems else 1.0


def _document_shares(form: QuestionForm, snippets: Sequence[Snippet]) -> dict[str, float]:
    mass: dict[str, float] = {}
    named = _named_stems(form)
    for place, snippet in enumerate(snippets):
        mass[snippet.document_id] = mass.get(snippet.document_id, 0.0) + 1.0 / (place + 3)
    for document_id in mass:
        parts = _id_words(document_id)
        years = {year for year in form.years if year in document_id}
        if named & parts and (years or len(parts) == 1):
            mass[document_id] *= 1.5
    best = max(mass.values(), default=1.0)
    return {document_id: value / best for document_id, value in mass.items()}


def _id_words(document_id: str) -> set[str]:
    """Return the words of an id such as "wu2021a", which name an author or a company."""
    return {part for token in tokens_of(document_id) if (part := token.stem.rstrip("0123456789"))}


def _build_sentences(rows: list[_Row], snippets: Sequence[Snippet], weights: dict[str, float]) -> tuple[Sentence, ...]:
    asked = frozenset(weights)
    conventions = conventions_of(snippets)
    snippet_stems = _stems_by_snippet(rows, len(snippets), asked)
    title_stems = [asked.intersection(_stems_in(snippet.place)) for snippet in snippets]
    sentences = []
    for place, row in enumerate(rows):
        header = _header(rows, place)
        own, above = asked & row.said.stems, asked.intersection(_stems_in(header))
        layers = (_neighbours(rows, place, asked), snippet_stems[row.snippet], title_stems[row.snippet])
        coverage = sum([weight * _own_share(stem, own, above) for stem, weight in weights.items()])
        around = frozenset[str]().union(*layers) - own - above
        support = coverage + sum(
            [weight * _layer_share(stem, layers) for stem, weight in weights.items() if stem in around]
        )
        sentences.append(
            Sentence(
                row.said.text,
                snippets[row.snippet].document_id,
                row.snippet,
                row.said.tokens,
                row.said.places,
                row.said.stems,
                coverage,
                support,
                header,
                conventions[snippets[row.snippet].node_id],
                _caveat(rows, place),
            )
        )
    return tuple(sentences)


def _stems_in(text: str) -> list[str]:
    return [token.stem for token in tokens_of(text)]


def _caveat(rows: list[_Row], place: int) -> str:
    following = rows[place + 1] if place + 1 < len(rows) else None
    if following is None or following.snippet != rows[place].snippet:
        return ""
    return following.said.text if following.said.text.startswith(_CAVEATS) else ""


def _header(rows: list[_Row], place: int) -> str:
    if not rows[place].said.is_row:
        return ""
    lines = [
        row.said.text for row in rows[max(0, place - _MAX_TABLE_ROWS) : place + 1] if row.snippet == rows[place].snippet
    ]
    return header_of(lines, len(lines) - 1)


def _neighbours(rows: list[_Row], place: int, asked: frozenset[str]) -> frozenset[str]:
    around = [rows[i] for i in (place - 1, place + 1) if 0 <= i < len(rows) and rows[i].snippet == rows[place].snippet]
    return frozenset[str]().union(*(asked & row.said.stems for row in around))


def _stems_by_snippet(rows: list[_Row], count: int, asked: frozenset[str]) -> list[frozenset[str]]:
    gathered: list[set[str]] = [set() for _ in range(count)]
    for row in rows:
        gathered[row.snippet].update(asked & row.said.stems)
    return [frozenset(stems) for stems in gathered]


def _own_share(stem: str, own: frozenset[str], above: frozenset[str]) -> float:
    return 1.0 if stem in own else _HEADER_SHARE if stem in above else 0.0


def _layer_share(stem: str, layers: tuple[frozenset[str], ...]) -> float:
    return next((share for layer, share in zip(layers, _CONTEXT_SHARES, strict=True) if stem in layer), 0.0)

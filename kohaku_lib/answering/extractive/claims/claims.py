"""Judge whether the snippets support or contradict a claim."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kohaku_lib.answering.extractive.claims.contrasts import asserts_rejected, is_comparison_reversed
from kohaku_lib.answering.extractive.claims.denials import is_diminished, is_negated_by_prefix
from kohaku_lib.answering.extractive.claims.opposites import count_opposites, same_direction
from kohaku_lib.answering.extractive.claims.polarity import (
    absolutes_in,
    hedges_in,
    negates_any,
    negations_in,
    overgeneralizes,
)
from kohaku_lib.answering.extractive.numbers.quantities import Quantity, quantities_in
from kohaku_lib.answering.extractive.numbers.units import convert
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.text import COMPARATIVES, Token, carries_content, tokens_of


def judge_claim(form: QuestionForm, quotes: Sequence[str]) -> str | None:
    """Return "1" or "0" for a claim, by the sentences and rows that come closest to it; None without any.

    Those with more of its words count for more.
    """
    if not quotes:
        return None
    statements = [statement_of(form, quote) for quote in quotes]
    context = " ".join(quotes)
    shares = [math.exp(_SHARPNESS * one.coverage) for one in statements]
    beliefs = [claim_belief(claim_signs(form, one, context)) for one in statements]
    return "1" if sum(share * one for share, one in zip(shares, beliefs, strict=True)) >= 0 else "0"


@dataclass(frozen=True, slots=True)
class ClaimSigns:
    """Features for and against a claim in one statement."""

    coverage: float
    negated: int  # 1 if exactly one side is negated
    opposites: int
    numbers: int
    denied: int  # 1 if one side negates a word of the other, or the sentence is narrower than the claim
    swaps: float  # weight of claim words replaced by other words
    absolutes: int
    hedges: int
    replaced: int = 0  # number of claim words replaced between the same two neighbours


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence or row that may decide a claim; `coverage` is the share of the claim's words that it has."""

    text: str
    tokens: tuple[Token, ...]
    stems: frozenset[str]
    coverage: float


def statement_of(form: QuestionForm, quote: str) -> Statement:
    """Return a quote as it is compared with the claim `form.text`."""
    tokens, asked = tokens_of(quote), frozenset(form.stems)
    stems = frozenset(token.stem for token in tokens)
    return Statement(quote, tokens, stems, len(asked & stems) / len(asked) if asked else 0.0)


def claim_signs(form: QuestionForm, statement: Statement, context: str = "") -> ClaimSigns:
    """Return the features of `statement` about the claim `form.text`; `context` is what else is said."""
    asked = frozenset(form.stems)
    clause = clause_about(statement.tokens, statement.text, dict.fromkeys(asked, 1.0 / max(1, len(asked))))
    return ClaimSigns(
        coverage=statement.coverage,
        negated=int((negations_in(clause) > 0) != (negations_in(form.text) > 0)),
        opposites=_count_contradictions(form.text, statement),
        numbers=numbers_agree(form.text, clause),
        denied=int(
            negates_any(statement.text, asked) != negates_any(form.text, statement.stems)
            or overgeneralizes(form.text, clause)
            or is_negated_by_prefix(form.text, clause)
            or is_diminished(form.text, clause)
        ),
        swaps=swapped_share(form, statement),
        replaced=replaced_words(form.text, statement),
        absolutes=absolutes_in(form.text, f"{statement.text} {context}"),
        hedges=hedges_in(form.text),
    )


def claim_belief(signs: ClaimSigns) -> float:
    """Return the log-odds that the claim is true.

    The weights are rounded from a logistic regression on claims about abstracts; those of numbers and of replaced words,
    which are rare there, are set manually. A claim on the topic counts as true unless there is a contradiction; how much of
    it one sentence covers matters little.
    """
    return (
        0.35
        + 0.2 * signs.coverage
        - 0.2 * signs.negated
        - (0.4 + 0.8 * signs.coverage) * signs.denied
        - 2.0 * min(signs.opposites, 2)
        + (0.4 if signs.numbers > 0 else -0.8 if signs.numbers < 0 else 0.0)
        - 0.8 * signs.swaps
        - 2.0 * min(signs.replaced, 1) * signs.coverage  # the rest of the claim must be covered
        - 0.9 * min(signs.absolutes, 1)
        + 0.6 * min(signs.hedges, 1)
    )


def _count_contradictions(claim: str, statement: Statement) -> int:
    """Return the number of antonyms that contradict the claim; "A uses less than B" means that B uses more than A."""
    count = count_opposites(_content_stems(tokens_of(claim)), _content_stems(statement.tokens))
    count = abs(count - 1) if is_comparison_reversed(claim, statement.text) else count
    return count + asserts_rejected(claim, statement.text)


def swapped_share(form: QuestionForm, statement: Statement) -> float:
    """Return the share of the claim's words that the statement replaces by another word beside the same neighbour."""
    words, theirs = _content_stems(tokens_of(form.text)), _content_stems(statement.tokens)
    known = frozenset(words)
    before = {right: left for left, right in pairwise(theirs)}
    after = dict(pairwise(theirs))
    swapped = set()
    for place, word in enumerate(words):
        if word in statement.stems:
            continue
        right = words[place + 1] if place + 1 < len(words) else ""
        left = words[place - 1] if place else ""
        if before.get(right, word) not in known or after.get(left, word) not in known:
            swapped.add(word)
    return len(swapped & frozenset(form.stems)) / max(1, len(form.stems))


def replaced_words(claim: str, statement: Statement) -> int:
    """Return how many words of the claim the sentence replaces in the same position before the same word.

    "air cooling" is replaced by "liquid cooling" if the preceding content word is the same too. Numbers are compared
    elsewhere, and words of the same direction replace nothing.
    """
    known = frozenset(_content_stems(tokens_of(claim)))
    between: dict[tuple[str, str], set[str]] = {}
    for left, middle, right in _modifiers(statement.text):
        between.setdefault((left, right), set()).add(middle)
    replaced = 0
    for left, middle, right in _modifiers(claim):
        others = between.get((left, right), set())
        is_said = middle in statement.stems or middle[0].isdigit() or bool(others & known)
        replaced += bool(others) and not is_said and not any(same_direction(middle, other) for other in others)
    return replaced


def _modifiers(text: str) -> list[tuple[str, str, str]]:
    """Return each phrase-initial content word directly before another one, with both neighbours."""
    content = [(place, token) for place, token in enumerate(tokens_of(text)) if _is_compared_word(token)]
    return [
        (left.stem, middle.stem, right.stem)
        for (before, left), (at, middle), (next_to, right) in zip(content, content[1:], content[2:], strict=False)
        if before + 1 < at == next_to - 1 and not _CLAUSE.search(text[left.end : right.start])
    ]


def _content_stems(tokens: tuple[Token, ...]) -> list[str]:
    return [token.stem for token in tokens if _is_compared_word(token)]


def _is_compared_word(token: Token) -> bool:
    return carries_content(token.surface) or token.surface.lower() in COMPARATIVES


def clause_about(tokens: Sequence[Token], text: str, stem_to_weight: Mapping[str, float], margin: int = 4) -> str:
    """Return the span of `text` with the highest weight for its length, with `margin` words on either side.

    Words without weight have a small cost, so that an unrelated clause between two related ones is excluded together with
    the lighter one. Returns the whole text if it has no weight.

    >>> from kohaku_lib.answering.extractive.text import tokens_of
    >>> text = "While the north must report its water use, nothing at all like this is asked of anybody in the south."
    >>> clause_about(tokens_of(text), text, {"report": 0.3, "water": 0.4, "north": 0.2, "south": 0.1}, margin=0)
    'north must report its water'
    """
    best, span = 0.0, None
    for first, token in enumerate(tokens):
        if token.stem not in stem_to_weight:
            continue
        seen: set[str] = set()
        weight = 0.0
        for last in range(first, len(tokens)):
            stem = tokens[last].stem
            if stem not in stem_to_weight or stem in seen:
                continue
            seen.add(stem)
            weight += stem_to_weight[stem]
            value = weight - _WORD_COST * (last - first + 1)
            if span is None or value > best:
                best, span = value, (first, last)
    if span is None:
        return text
    first, last = max(0, span[0] - margin), min(len(tokens) - 1, span[1] + margin)
    return text[tokens[first].start : tokens[last].end]


def numbers_agree(claim: str, evidence: str) -> int:
    """Return 1 if the evidence contains a number of the claim, -1 if it contains only other comparable ones, else 0.

    >>> numbers_agree("more than 40% of it", "about 90% of it"), numbers_agree("it took 3 days", "it took 5 days")
    (1, -1)
    """
    claimed = [quantity for quantity in quantities_in(claim) if not quantity.decorated and not quantity.is_year]
    stated = [quantity for quantity in quantities_in(evidence) if not quantity.decorated]
    verdicts = [verdict for quantity in claimed if (verdict := _compare_number(quantity, stated)) != 0]
    return min(verdicts, default=0)


def _compare_number(claimed: Quantity, stated: list[Quantity]) -> int:
    comparable = [pair for quantity in stated if (pair := _convert_to_unit_of(claimed, quantity)) is not None]
    if not comparable:
        return 0
    return 1 if any(_satisfies(claimed, low, high) for low, high in comparable) else -1


def _convert_to_unit_of(claimed: Quantity, quantity: Quantity) -> tuple[float, float] | None:
    if claimed.unit is None or quantity.unit is None:
        same_noun = claimed.unit is quantity.unit and bool(set(claimed.nouns[:2]) & set(quantity.nouns[:3]))
        same_number = claimed.unit is quantity.unit and claimed.low == quantity.low
        return (quantity.low, quantity.high) if same_noun or same_number else None
    low, high = convert(quantity.low, quantity.unit, claimed.unit), convert(quantity.high, quantity.unit, claimed.unit)
    return None if low is None or high is None else (low, high)


def _satisfies(claimed: Quantity, low: float, high: float) -> bool:
    near = 0.02 * max(abs(claimed.low), abs(claimed.high))
    if low - near <= claimed.low <= high + near or claimed.low - near <= low <= claimed.high + near:
        return True
    if claimed.hedge in _MORE:
        return low > claimed.low
    return claimed.hedge in _LESS and high < claimed.high


_SHARPNESS = 6.0  # of the softmax over statements
_CLAUSE = re.compile(r"[,;:.()]")
_WORD_COST = 0.012  # share of the total weight per word of the span
_MORE = frozenset({"more than", "over", "above", "at least", ">", "≥", "a minimum of", "no less than", "minimum"})
_LESS = frozenset(
    {
        "less than",
        "fewer than",
        "under",
        "below",
        "at most",
        "up to",
        "<",
        "≤",
        "no more than",
        "a maximum of",
        "maximum",
    }
)

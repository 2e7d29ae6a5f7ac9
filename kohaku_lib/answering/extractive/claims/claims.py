"""Judge whether the snippets support or contradict a claim."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kohaku_lib.answering.extractive.claims.opposites import count_opposites
from kohaku_lib.answering.extractive.claims.polarity import absolutes_in, negates_any
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
    opposites: int
    numbers: int
    denied: int  # 1 if one side negates a word of the other
    swaps: float  # share of the claim's words that are replaced by other words
    absolutes: int


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
    return ClaimSigns(
        coverage=statement.coverage,
        opposites=count_opposites(_content_stems(tokens_of(form.text)), _content_stems(statement.tokens)),
        numbers=numbers_agree(form.text, statement.text),
        denied=int(negates_any(statement.text, asked) != negates_any(form.text, statement.stems)),
        swaps=swapped_share(form, statement),
        absolutes=absolutes_in(form.text, f"{statement.text} {context}"),
    )


def claim_belief(signs: ClaimSigns) -> float:
    """Return the log-odds that the claim is true.

    The weights are rounded from a logistic regression on claims about abstracts; that of numbers, which are rare there, is
    set manually. A claim on the topic counts as true unless there is a contradiction; how much of it one sentence covers
    matters little.
    """
    return (
        0.35
        + 0.2 * signs.coverage
        - (0.4 + 0.8 * signs.coverage) * signs.denied
        - 2.0 * min(signs.opposites, 2)
        + (0.4 if signs.numbers > 0 else -0.8 if signs.numbers < 0 else 0.0)
        - 0.8 * signs.swaps
        - 0.9 * min(signs.absolutes, 1)
    )


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


def _content_stems(tokens: tuple[Token, ...]) -> list[str]:
    return [token.stem for token in tokens if _is_compared_word(token)]


def _is_compared_word(token: Token) -> bool:
    return carries_content(token.surface) or token.surface.lower() in COMPARATIVES


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

"""Whether the snippets speak for a claim or against it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kohaku_lib.answering.extractive.claims.contrasts import sides_swapped, takes_the_other
from kohaku_lib.answering.extractive.claims.denials import prefix_denies, toned_down
from kohaku_lib.answering.extractive.claims.opposites import alike, opposed
from kohaku_lib.answering.extractive.claims.polarity import (
    absolutes_in,
    goes_beyond,
    hedges_in,
    negates_any,
    negations_in,
)
from kohaku_lib.answering.extractive.evidence.evidence import Evidence, Sentence
from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.numbers.quantities import Quantity, quantities_in
from kohaku_lib.answering.extractive.numbers.units import convert
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.text import COMPARATIVES, Token, carries_content, tokens_of

_COST = 0.012  # of the whole weight, for every word of the stretch
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


@dataclass(frozen=True, slots=True)
class ClaimSigns:
    """What speaks for and against a claim in one sentence."""

    coverage: float
    negated: int  # 1 where one side is negated and the other not
    opposites: int
    numbers: int
    denied: int  # 1 where one side negates a word of the other, or the sentence is limited to less than the claim
    swaps: float  # weight of claim words in whose place the sentence has another word
    absolutes: int
    hedges: int
    replaced: int = 0  # words of the claim for which the sentence has another between the same two neighbours


def judge_claim(form: QuestionForm, evidence: Evidence) -> Finding | None:
    """Return "1" or "0" for a claim with the sentence that says most about it; None without sentences."""
    ranked = sorted(evidence.sentences, key=lambda sentence: -_aboutness(evidence, sentence))[:_READ]
    if not ranked:
        return None
    sharpness = _SHARPER if ranked[0].own >= _SAYS_MOST else _SHARPNESS
    shares = [
        math.exp(sharpness * (_aboutness(evidence, sentence) - _aboutness(evidence, ranked[0]))) for sentence in ranked
    ]
    said = " ".join(sentence.text for sentence in ranked)
    beliefs = [claim_belief(claim_signs(form, evidence, sentence, said)) for sentence in ranked]
    belief = sum(share * one for share, one in zip(shares, beliefs, strict=True)) / sum(shares)
    truth = 1 / (1 + math.exp(-belief))
    best = ranked[0]
    return Finding(
        "1" if truth >= 0.5 else "0", best.text, (best.document_id,), max(truth, 1 - truth), belief, best.support
    )


def claim_signs(form: QuestionForm, evidence: Evidence, sentence: Sentence, said: str = "") -> ClaimSigns:
    """Return the signs that `sentence` gives about the claim `form.text`; `said` is what stands around it."""
    stems = frozenset(form.stems)
    clause = clause_about(sentence.tokens, sentence.text, evidence.stem_to_weight)
    near = f"{clause} {sentence.caveat}"
    return ClaimSigns(
        coverage=sentence.own,
        negated=int((negations_in(near) > 0) != (negations_in(form.text) > 0)),
        opposites=_opposites(form.text, sentence),
        numbers=numbers_agree(form.text, clause),
        denied=int(
            negates_any(f"{sentence.text} {sentence.caveat}", stems) != negates_any(form.text, sentence.stems)
            or goes_beyond(form.text, near)
            or prefix_denies(form.text, near)
            or toned_down(form.text, near)
        ),
        swaps=swapped_weight(form.text, sentence, evidence.stem_to_weight),
        replaced=replaced_words(form.text, sentence),
        absolutes=absolutes_in(form.text, f"{sentence.text} {said}"),
        hedges=hedges_in(form.text),
    )


def claim_belief(signs: ClaimSigns) -> float:
    """Return the log-odds that the claim is true.

    The weights are those of a logistic regression on claims about abstracts, rounded; only those of numbers and of
    replaced words, which hardly occur there, are set by hand. What is said of a topic is true unless something speaks
    against it: how much of the claim one sentence holds says little.
    """
    return (
        0.35
        + 0.2 * signs.coverage
        - 0.2 * signs.negated
        - (0.4 + 0.8 * signs.coverage) * signs.denied
        - 2.0 * min(signs.opposites, 2)
        + (0.4 if signs.numbers > 0 else -0.8 if signs.numbers < 0 else 0.0)
        - 0.8 * signs.swaps
        - 2.0 * min(signs.replaced, 1) * signs.coverage  # the rest must be said
        - 0.9 * min(signs.absolutes, 1)
        + 0.6 * min(signs.hedges, 1)
    )


def _opposites(claim: str, sentence: Sentence) -> int:
    """Return how many opposites speak against the claim: "A uses less than B" says that B uses more than A."""
    count = opposed(_content(tokens_of(claim)), _content(sentence.tokens))
    count = abs(count - 1) if sides_swapped(claim, sentence.text) else count
    return count + takes_the_other(claim, sentence.text)


def swapped_weight(claim: str, sentence: Sentence, stem_to_weight: dict[str, float]) -> float:
    """Return the weight of the claim's words that the sentence replaces by another word beside the same neighbour."""
    words, theirs = _content(tokens_of(claim)), _content(sentence.tokens)
    known = frozenset(words)
    before = {right: left for left, right in pairwise(theirs)}
    after = dict(pairwise(theirs))
    swapped = set()
    for place, word in enumerate(words):
        if word in sentence.stems:
            continue
        right = words[place + 1] if place + 1 < len(words) else ""
        left = words[place - 1] if place else ""
        if before.get(right, word) not in known or after.get(left, word) not in known:
            swapped.add(word)
    return sum(stem_to_weight.get(word, 0.0) for word in swapped)


def replaced_words(claim: str, sentence: Sentence) -> int:
    """Return how many words of the claim the sentence replaces by another one before the same word, in the same place.

    "air cooling" is replaced by "liquid cooling" where the content word before is the same too. Numbers are compared
    elsewhere, and words that point the same way replace nothing.
    """
    known = frozenset(_content(tokens_of(claim)))
    between: dict[tuple[str, str], set[str]] = {}
    for left, middle, right in _modifiers(sentence.text):
        between.setdefault((left, right), set()).add(middle)
    replaced = 0
    for left, middle, right in _modifiers(claim):
        others = between.get((left, right), set())
        is_said = middle in sentence.stems or middle[0].isdigit() or bool(others & known)
        replaced += bool(others) and not is_said and not any(alike(middle, other) for other in others)
    return replaced


def _modifiers(text: str) -> list[tuple[str, str, str]]:
    """Return each content word that opens a phrase and stands right before another one, between its neighbours."""
    content = [(place, token) for place, token in enumerate(tokens_of(text)) if _counts(token)]
    return [
        (left.stem, middle.stem, right.stem)
        for (before, left), (at, middle), (next_to, right) in zip(content, content[1:], content[2:], strict=False)
        if before + 1 < at == next_to - 1 and not _CLAUSE.search(text[left.end : right.start])
    ]


def _content(tokens: tuple[Token, ...]) -> list[str]:
    return [token.stem for token in tokens if _counts(token)]


def _counts(token: Token) -> bool:
    return carries_content(token.surface) or token.surface.lower() in COMPARATIVES


_CLAUSE = re.compile(r"[,;:.()]")


_READ = 5


_SHARPNESS, _SHARPER = 3.0, 6.0  # the sentence that says most of a claim counts more against the others


_SAYS_MOST = 0.6


def _aboutness(evidence: Evidence, sentence: Sentence) -> float:
    return sentence.own + sentence.support + 0.3 * evidence.document_to_share[sentence.document_id]


def clause_about(tokens: Sequence[Token], text: str, stem_to_weight: Mapping[str, float], margin: int = 4) -> str:
    """Return the stretch of `text` that holds the most weight for its length, with `margin` words on either side.

    A word of the stretch that weighs nothing costs a little, so that an unrelated clause between two related ones
    is left out with the lighter of them. The whole text where it holds no weight at all.

    >>> from kohaku_lib.answering.extractive.text import tokens_of
    >>> text = "While the north must report its water use, nothing at all like this is asked of anybody in the south."
    >>> clause_about(tokens_of(text), text, {"report": 0.3, "water": 0.4, "north": 0.2, "south": 0.1}, margin=0)
    'north must report its water'
    """
    best, span = 0.0, None
    for first, token in enumerate(tokens):
        if token.stem not in stem_to_weight:
            continue
        held: set[str] = set()
        weight = 0.0
        for last in range(first, len(tokens)):
            stem = tokens[last].stem
            if stem not in stem_to_weight or stem in held:
                continue
            held.add(stem)
            weight += stem_to_weight[stem]
            worth = weight - _COST * (last - first + 1)
            if span is None or worth > best:
                best, span = worth, (first, last)
    if span is None:
        return text
    first, last = max(0, span[0] - margin), min(len(tokens) - 1, span[1] + margin)
    return text[tokens[first].start : tokens[last].end]


def numbers_agree(claim: str, evidence: str) -> int:
    """Return 1 where the evidence holds a number of the claim, -1 where it holds only others of its kind, else 0.

    >>> numbers_agree("more than 40% of it", "about 90% of it"), numbers_agree("it took 3 days", "it took 5 days")
    (1, -1)
    """
    asked = [quantity for quantity in quantities_in(claim) if not quantity.decorated and not quantity.is_year]
    given = [quantity for quantity in quantities_in(evidence) if not quantity.decorated]
    verdicts = [verdict for quantity in asked if (verdict := _verdict(quantity, given)) != 0]
    return min(verdicts, default=0)


def _verdict(asked: Quantity, given: list[Quantity]) -> int:
    comparable = [pair for quantity in given if (pair := _in_unit_of(asked, quantity)) is not None]
    if not comparable:
        return 0
    return 1 if any(_satisfies(asked, low, high) for low, high in comparable) else -1


def _in_unit_of(asked: Quantity, quantity: Quantity) -> tuple[float, float] | None:
    if asked.unit is None or quantity.unit is None:
        same_noun = asked.unit is quantity.unit and bool(set(asked.nouns[:2]) & set(quantity.nouns[:3]))
        same_number = asked.unit is quantity.unit and asked.low == quantity.low
        return (quantity.low, quantity.high) if same_noun or same_number else None
    low, high = convert(quantity.low, quantity.unit, asked.unit), convert(quantity.high, quantity.unit, asked.unit)
    return None if low is None or high is None else (low, high)


def _satisfies(asked: Quantity, low: float, high: float) -> bool:
    near = 0.02 * max(abs(asked.low), abs(asked.high))
    if low - near <= asked.low <= high + near or asked.low - near <= low <= asked.high + near:
        return True
    if asked.hedge in _MORE:
        return low > asked.low
    return asked.hedge in _LESS and high < asked.high

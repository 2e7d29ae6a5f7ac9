"""Antonyms about a word that two texts share."""

from __future__ import annotations

from collections.abc import Sequence

from kohaku_lib.answering.extractive.text import term_of
from kohaku_lib.text.word_lists import words


def count_opposites(claim: Sequence[str], evidence: Sequence[str]) -> int:
    """Return how many pairs of antonyms the two stem sequences have on opposite sides, about a shared word.

    A pair counts if beside the evidence's antonym of the claim's word stand more words of the claim than beside any word
    of the evidence on the claim's side.

    >>> count_opposites(["cost", "increas"], ["cost", "decreas"])
    1
    >>> count_opposites(["cost", "increas"], ["cost", "increas", "less"])
    0
    >>> count_opposites(["nerv", "activiti", "increas"], ["nerv", "activiti", "reduc", "while", "pressur", "rise"])
    1
    """
    return sum(_is_contradicted(claim, evidence, one, other) for one, other in _SIDES)


_OPPOSITES = (
    (
        "high increase rise rose grow grew higher more greater larger improve outperform exceed above gain raise upward faster "
        "better longer most highest largest "
        "growth enhance boost superior surpass double expand accelerate promote encourage strengthen stimulate activate "
        "speed facilitate widen lengthen rising surge soar climb elevate augment amplify multiply stronger heavier "
        "abundant plentiful bigger wide",
        "low decrease reduce fall fell drop lower less fewer smaller decline below underperform reduction downward "
        "slower worse shorter least lowest "
        "smallest diminish cut lessen degrade inferior shrink halve reducing slow inhibit suppress impair attenuate "
        "discourage weaken hinder block lag underestimate narrow shorten hamper impede curb slash minimize deplete "
        "scarce dwindle plummet narrower",
    ),
    ("include contain incorporate comprise", "exclude omit ignore neglect"),
    ("public open transparent disclose", "private closed proprietary confidential undisclosed"),
    ("mandatory require obligatory must binding", "voluntary optional recommend encourage"),
    ("same equal identical constant unchanged similar consistent", "different differ vary unequal diverse variable"),
    ("cheap inexpensive affordable", "expensive costly"),
    ("positive beneficial benefit", "negative harmful harm"),
    (
        "major main significant substantial considerable dominant",
        "minor negligible insignificant minimal marginal trivial",
    ),
    ("easy simple", "difficult hard complex challenging"),
    ("before prior", "after following subsequent"),
    ("renewable clean", "fossil coal"),
    ("efficient", "inefficient"),
    ("sufficient adequate", "insufficient inadequate"),
    ("accurate precise", "inaccurate imprecise"),
    ("common widespread frequent", "rare uncommon infrequent"),
    ("possible able", "impossible unable"),
    ("strong", "weak"),
    ("maximum", "minimum"),
    ("keep retain maintain preserve continue remain stay", "eliminate remove abandon drop discontinue cease withdraw"),
    ("meet met achieve attain fulfil reach", "miss fail"),
    ("inside within", "outside"),
)
_SIDES = [tuple(frozenset(term_of(word) for word in words(side)) for side in pair) for pair in _OPPOSITES]
_WINDOW = 2  # content words on either side


def _is_contradicted(claim: Sequence[str], evidence: Sequence[str], one: frozenset[str], other: frozenset[str]) -> bool:
    up, down = not one.isdisjoint(claim), not other.isdisjoint(claim)
    if up == down:
        return False
    along, against = (one, other) if up else (other, one)
    about = frozenset(claim) - along - against
    return _most_shared(evidence, against, about) > _most_shared(evidence, along, about)


def _most_shared(stems: Sequence[str], words: frozenset[str], about: frozenset[str]) -> int:
    """Return how many stems around one of `words` are among `about`, where most are."""
    around = (stems[max(0, place - _WINDOW) : place + _WINDOW + 1] for place, stem in enumerate(stems) if stem in words)
    return max((sum(stem in about for stem in near) for near in around), default=0)

"""Antonyms about a word that two texts share."""

from __future__ import annotations

from collections.abc import Sequence

from kohaku_lib.answering.extractive.text import term_of
from kohaku_lib.text.word_lists import words


def count_opposites(claim: Sequence[str], evidence: Sequence[str]) -> int:
    """Return how many pairs of antonyms the two stem sequences have on opposite sides, about a shared word.

    A pair counts if the evidence's antonym of the claim's word shares more of that word's context than any word of the
    evidence on the claim's side.

    >>> count_opposites(["cost", "increas"], ["cost", "decreas"])
    1
    >>> count_opposites(["cost", "increas"], ["cost", "increas", "less"])
    0
    >>> count_opposites(["nerv", "activiti", "increas"], ["nerv", "activiti", "reduc", "while", "pressur", "rise"])
    1
    """
    return sum(_is_contradicted(claim, evidence, one, other, reach) for one, other, reach in _SIDES)


def same_direction(one: str, other: str) -> bool:
    """Return whether two stems have the same direction (near-synonyms or intensifiers).

    >>> same_direction("reduc", "decreas"), same_direction("liquid", "air"), same_direction("signific", "substanti")
    (True, False, True)
    """
    return any(one in side and other in side for first, second, _ in _SIDES for side in (first, second))


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
    ("confirm prove endorse favor", "contradict refute reject oppose disprove"),
    ("allow permit enable", "forbid prohibit prevent ban disallow"),
    ("accept approve", "reject refuse deny"),
    ("start begin launch", "end stop finish terminate"),
    ("gain win", "lose loss"),
    ("old older oldest", "new newer young"),
    ("rich wealthy", "poor"),
    ("majority", "minority"),
    ("agree", "disagree"),
    ("available present", "absent missing unavailable"),
    ("straightforward", "challenging difficult"),
    ("active", "inactive passive idle"),
    ("stable", "unstable volatile"),
    ("likely", "unlikely"),
    ("temporary", "permanent"),
    ("well", "poorly"),
    ("even uniform", "uneven disparate"),
    ("concentrated", "distributed dispersed"),
    ("static", "dynamic"),
    ("first", "last"),
    ("always", "sometimes occasionally rarely"),
    ("strengthen", "rollback weaken"),
    ("true", "false"),
)
# adjectives that apply only to the next noun
_OPPOSITE_ADJECTIVES = (
    ("dense", "sparse"),
    ("direct", "indirect"),
    ("linear", "nonlinear sublinear superlinear exponential"),
    ("local", "remote"),
    ("early", "late"),
    ("internal", "external"),
    ("primary", "secondary"),
)


def _stemmed(pairs: tuple[tuple[str, str], ...]) -> list[tuple[frozenset[str], ...]]:
    return [tuple(frozenset(term_of(word) for word in words(side)) for side in pair) for pair in pairs]


_WINDOW = 6  # content words on either side
_ADJACENT = 1
_SIDES = [(one, other, _WINDOW) for one, other in _stemmed(_OPPOSITES)]
_SIDES += [(one, other, _ADJACENT) for one, other in _stemmed(_OPPOSITE_ADJECTIVES)]


def _is_contradicted(
    claim: Sequence[str], evidence: Sequence[str], one: frozenset[str], other: frozenset[str], reach: int
) -> bool:
    up, down = not one.isdisjoint(claim), not other.isdisjoint(claim)
    if up == down:
        return False
    along, against = (one, other) if up else (other, one)
    if against.isdisjoint(evidence):
        return False
    about = (
        frozenset(stem for place in _places(claim, along) for stem in _distances_around(claim, place, reach))
        - along
        - against
    )
    return _max_overlap(evidence, against, about, reach) > _max_overlap(evidence, along, about, reach)


def _max_overlap(stems: Sequence[str], words: frozenset[str], about: frozenset[str], reach: int) -> float:
    """Return the maximum overlap of `about` with the context of a stem in `words`, each stem weighted by 1 / distance."""
    return max(
        (_overlap(_distances_around(stems, place, reach), about) for place in _places(stems, words)), default=0.0
    )


def _overlap(distances: dict[str, int], about: frozenset[str]) -> float:
    return sum(1 / distance for stem, distance in distances.items() if stem in about)


def _places(stems: Sequence[str], words: frozenset[str]) -> list[int]:
    return [place for place, stem in enumerate(stems) if stem in words]


def _distances_around(stems: Sequence[str], place: int, reach: int) -> dict[str, int]:
    """Return the minimum distance of every stem at most `reach` positions from `place`."""
    distances: dict[str, int] = {}
    for other in range(max(0, place - reach), min(len(stems), place + reach + 1)):
        if other != place:
            distances[stems[other]] = min(reach, abs(other - place), distances.get(stems[other], reach))
    return distances

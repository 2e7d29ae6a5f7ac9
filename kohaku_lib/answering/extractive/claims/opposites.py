"""Words that say the opposite of each other, about a word that two texts share."""

from __future__ import annotations

from collections.abc import Sequence

from kohaku_lib.answering.extractive.text import term_of, words


def opposed(claim: Sequence[str], evidence: Sequence[str]) -> int:
    """Return how many pairs of opposites the two stretches of stems hold on opposite sides, about a shared word.

    A pair counts where the evidence's opposite of the claim's word shares more of the words around it than any
    of the evidence's words on the claim's own side does.

    >>> opposed(["cost", "increas"], ["cost", "decreas"]), opposed(["cost", "increas"], ["cost", "increas", "less"])
    (1, 0)
    >>> opposed(["nerv", "activiti", "increas"], ["nerv", "activiti", "reduc", "while", "pressur", "rise"])
    1
    """
    return sum(_crosses(claim, evidence, one, other, reach) for one, other, reach in _SIDES)


def alike(one: str, other: str) -> bool:
    """Say whether two stems point the same way, or only strengthen what follows.

    >>> alike("reduc", "decreas"), alike("liquid", "air"), alike("signific", "substanti")
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
# adjectives that say nothing of other nouns than the next one
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


_COMPANY = 6  # content words on either side
_NEXT = 1
_SIDES = [(one, other, _COMPANY) for one, other in _stemmed(_OPPOSITES)]
_SIDES += [(one, other, _NEXT) for one, other in _stemmed(_OPPOSITE_ADJECTIVES)]


def _crosses(
    claim: Sequence[str], evidence: Sequence[str], one: frozenset[str], other: frozenset[str], reach: int
) -> bool:
    up, down = not one.isdisjoint(claim), not other.isdisjoint(claim)
    if up == down:
        return False
    along, against = (one, other) if up else (other, one)
    if against.isdisjoint(evidence):
        return False
    about = (
        frozenset(stem for place in _places(claim, along) for stem in _around(claim, place, reach)) - along - against
    )
    return _most_shared(evidence, against, about, reach) > _most_shared(evidence, along, about, reach)


def _most_shared(stems: Sequence[str], words: frozenset[str], about: frozenset[str], reach: int) -> float:
    """Return how much of `about` stands around one stem in `words` at best, each by 1 / its distance."""
    return max((_shared(_around(stems, place, reach), about) for place in _places(stems, words)), default=0.0)


def _shared(distances: dict[str, int], about: frozenset[str]) -> float:
    return sum(1 / distance for stem, distance in distances.items() if stem in about)


def _places(stems: Sequence[str], words: frozenset[str]) -> list[int]:
    return [place for place, stem in enumerate(stems) if stem in words]


def _around(stems: Sequence[str], place: int, reach: int) -> dict[str, int]:
    """Return the least distance of every stem at most `reach` places from `place`."""
    distances: dict[str, int] = {}
    for other in range(max(0, place - reach), min(len(stems), place + reach + 1)):
        if other != place:
            distances[stems[other]] = min(reach, abs(other - place), distances.get(stems[other], reach))
    return distances

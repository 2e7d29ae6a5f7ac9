"""Cues that two sentences about the same thing say the opposite: negations, opposites, numbers, absolute words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kohaku_lib.answering.reader.quantities import Quantity, quantities_in
from kohaku_lib.answering.reader.text import Token, stem_of, tokens_of, words
from kohaku_lib.answering.reader.units import convert

_NEGATION = re.compile(
    r"\b(?:not(?! (?:be |been )?(?:only|just|merely|solely|limited|necessarily)\b)|"
    r"no(?! later\b| less\b| more\b|\.)|never|without|neither|nor|"
    r"none|cannot|lacks?|lacked|fails?|failed|"
    r"excludes?|excluded|excluding|leaves? out|omits?|omitted|absent|unable|hardly|barely|scarcely|rarely|seldom|unlikely|"
    r"insufficient|impossible|"
    r"ignores?|ignored|neglects?|neglected|overlooks?|unclear|little|absence|contrary|yet to|"
    r"prevents?|prohibits?|restricted|lacking)\b|n['’]t\b",
    re.IGNORECASE,
)
_ABSOLUTE = re.compile(
    r"\b(?:only|solely|always|never|all|every|any|entirely|completely|exclusively|purely|fully|none|no|"
    r"guarantees?d?|impossible|"
    r"cannot|regardless|negligible|eliminates?d?|identical|exactly|not(?! (?:only|just|merely)\b)|perfectly|"
    r"universally|immediately)\b|n['’]t\b",
    re.IGNORECASE,
)
_ONLY = frozenset({"only", "solely", "exclusively", "purely"})
_LIMITED = re.compile(
    r"(?<!not )(?<!not be )(?<!not been )\b(?:only|solely|exclusively|(?:limited|restricted|confined) to|leaves? out|"
    r"except(?: for)?)\b(?! limited)",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\b(?:both|all|also|as well as|and not only|across|every|each)\b", re.IGNORECASE)
_HEDGED = re.compile(
    r"\b(?:can|could|may|might|often|some|sometimes|typically|potentially|partly|approximately|roughly|about|up "
    r"to|nearly|significant\w*|substantial\w*|various|many)\b",
    re.IGNORECASE,
)
_OPPOSITES = (
    (
        "high increase rise rose grow grew higher more greater larger improve outperform exceed above gain raise upward faster "
        "better longer most highest largest "
        "growth enhance boost superior surpass double expand accelerate promote encourage strengthen stimulate activate "
        "speed facilitate widen",
        "low decrease reduce fall fell drop lower less fewer smaller decline below underperform reduction downward "
        "slower worse shorter least lowest "
        "smallest diminish cut lessen degrade inferior shrink halve reducing slow inhibit suppress impair attenuate "
        "discourage weaken hinder block lag underestimate narrow",
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
    return [tuple(frozenset(stem_of(word) for word in words(side)) for side in pair) for pair in pairs]


_CLAUSE_END = re.compile(r"[:;](?=\s)|\.\s")
_COMPANY = 6  # content words on either side
_NEXT = 1
_SIDES = [(one, other, _COMPANY) for one, other in _stemmed(_OPPOSITES)]
_SIDES += [(one, other, _NEXT) for one, other in _stemmed(_OPPOSITE_ADJECTIVES)]
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


def negations_in(text: str) -> int:
    """Return how many negations stand in `text`.

    >>> negations_in("It does not cover inference, and leaves out training.")
    2
    """
    return len(_NEGATION.findall(text))


def negates_any(text: str, stems: frozenset[str], reach: int = 3) -> bool:
    """Say whether a negation of `text` stands at most `reach` words before a word of `stems`.

    >>> negates_any("It does not explicitly mention energy.", frozenset({"mention"}))
    True
    >>> negates_any("It mentions energy, but not in the annex.", frozenset({"mention"}))
    False
    """
    for match in _NEGATION.finditer(text):
        following = tokens_of(_CLAUSE_END.split(text[match.end() : match.end() + 60], maxsplit=1)[0])[:reach]
        if any(token.stem in stems for token in following):
            return True
    return False


def absolutes_in(text: str, shared: str = "") -> int:
    """Return how many words of `text` allow no exception, without those that `shared` holds too.

    >>> absolutes_in("Only one always works.")
    2
    """
    known = {match.lower() for match in _ABSOLUTE.findall(shared)}
    if known & _ONLY or _LIMITED.search(shared):
        known |= _ONLY
    return sum(match.lower() not in known for match in _ABSOLUTE.findall(text))


def goes_beyond(claim: str, evidence: str) -> bool:
    """Say whether the claim is about several things alike and the evidence is limited to one.

    >>> goes_beyond("It covers both boats and cranes.", "It only covers boats.")
    True
    >>> goes_beyond("It covers boats.", "It only covers boats."), goes_beyond("It covers both.", "It covers boats.")
    (False, False)
    """
    return bool(_SEVERAL.search(claim)) and not _LIMITED.search(claim) and bool(_LIMITED.search(evidence))


def hedges_in(text: str) -> int:
    """Return how many words of `text` weaken what it says.

    >>> hedges_in("It can often help.")
    2
    """
    return len(_HEDGED.findall(text))


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

    >>> alike("reduc", "decreas"), alike("liquid", "air"), alike("significant", "substantial")
    (True, False, True)
    """
    return any(one in side and other in side for first, second, _ in _SIDES for side in (first, second))


def numbers_agree(claim: str, evidence: str) -> int:
    """Return 1 where the evidence holds a number of the claim, -1 where it holds only others of its kind, else 0.

    >>> numbers_agree("more than 40% of it", "about 90% of it"), numbers_agree("it took 3 days", "it took 5 days")
    (1, -1)
    """
    asked = [quantity for quantity in quantities_in(claim) if not quantity.decorated and not quantity.is_year]
    given = [quantity for quantity in quantities_in(evidence) if not quantity.decorated]
    verdicts = [verdict for quantity in asked if (verdict := _verdict(quantity, given)) != 0]
    return min(verdicts, default=0)


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


def window_text(tokens: tuple[Token, ...], text: str, stems: frozenset[str], margin: int = 4) -> str:
    """Return the stretch of `text` from `margin` tokens before its first matched stem to as many after the last."""
    hits = [place for place, token in enumerate(tokens) if token.stem in stems]
    if not hits:
        return text
    first, last = max(0, hits[0] - margin), min(len(tokens) - 1, hits[-1] + margin)
    return text[tokens[first].start : tokens[last].end]

"""Which of the named options has the most, the least, the first or the last, each read from its own sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kohaku_lib.answering.extractive.evidence.evidence import Evidence, Sentence
from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.numbers.numbers import Candidate, number_candidates
from kohaku_lib.answering.extractive.question.directions import Direction, direction_of
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.text import tokens_of


@dataclass(frozen=True, slots=True)
class Rated:
    """An option with the number or year that its own sentences give for what is asked."""

    option: str
    candidate: Candidate


def rank_options(form: QuestionForm, evidence: Evidence) -> Finding | None:
    """Return the option with the asked end of the numbers or years that its own sentences give.

    None where no end is asked, where fewer than two options have such a number, or where they measure different things.
    An option's own sentences are those that name it and those of a snippet that opens with it.
    """
    direction = direction_of(form.text)
    if not direction:
        return None
    rated = _rated(form, evidence, direction)
    if len(rated) < 2:
        return None
    pick = min if direction in {"low", "first"} else max
    best = pick(rated, key=lambda one: _value(one.candidate))
    if sum(_value(one.candidate) == _value(best.candidate) for one in rated) > 1:
        return None
    sentence = best.candidate.sentence
    documents = tuple(dict.fromkeys(one.candidate.sentence.document_id for one in (best, *rated)))
    share = len(rated) / len(form.options)
    cited = documents if len(documents) <= len(form.options) and len(set(documents)) == 1 else (sentence.document_id,)
    return Finding(best.option, sentence.text, cited, 0.4 + 0.4 * share, 0.4 + 0.4 * share, max(0.5, sentence.support))


_ARTICLE = re.compile(r"^the\s+", re.IGNORECASE)
_OPENING = 6  # words within which a snippet names what it is about


def _rated(form: QuestionForm, evidence: Evidence, direction: Direction) -> list[Rated]:
    """Return the options with their best numbers of the one measure that most of them, and the best, have."""
    kind = "year" if direction in {"first", "last"} else "number"
    asked = replace(form, kind=kind, unit=None, numbers=frozenset(), bound="", end="")
    others = frozenset(token.stem for name in form.options for token in tokens_of(name))
    weights = {stem: weight for stem, weight in evidence.stem_to_weight.items() if stem not in others}
    by_measure: dict[str, dict[str, Candidate]] = {}
    for option in form.options:
        own = replace(evidence, sentences=own_sentences(option, evidence.sentences), stem_to_weight=weights)
        for one in number_candidates(asked, own):
            if one.low == one.high and not _inside(option, one) and (kind == "year" or not one.quantity.is_year):
                by_measure.setdefault(_measure(one), {}).setdefault(option, one)
    if not by_measure:
        return []
    best = max(by_measure.values(), key=lambda found: (len(found), sum(one.score for one in found.values())))
    return [Rated(option, candidate) for option, candidate in best.items()]


def own_sentences(option: str, sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Return the sentences that name `option`, and the others of every snippet whose first words name it."""
    stems = [token.stem for token in tokens_of(_ARTICLE.sub("", option))]
    about: set[int] = set()
    seen: set[int] = set()
    for sentence in sentences:
        if sentence.rank not in seen and _place(stems, sentence, _OPENING + len(stems)) is not None:
            about.add(sentence.rank)
        seen.add(sentence.rank)
    return tuple(one for one in sentences if one.rank in about or _place(stems, one, len(one.tokens)) is not None)


def _place(stems: list[str], sentence: Sentence, within: int) -> int | None:
    tokens = [token.stem for token in sentence.tokens[:within]]
    starts = range(len(tokens) - len(stems) + 1)
    return next((first for first in starts if stems and tokens[first : first + len(stems)] == stems), None)


def _inside(option: str, candidate: Candidate) -> bool:
    """Say whether the number is a part of the option's own name, as in "Llama 3.2"."""
    text, start, end = candidate.sentence.text, candidate.quantity.start, candidate.quantity.end
    place = text.find(option)
    return place >= 0 and place <= start and end <= place + len(option)


def _measure(candidate: Candidate) -> str:
    """Return what a number measures: its unit, else what it counts, else "" for a bare cell or year."""
    unit, nouns = candidate.quantity.unit, candidate.quantity.nouns
    if unit is not None:
        return unit.measure
    return f"noun:{nouns[0]}" if nouns and not candidate.quantity.is_year and not candidate.sentence.header else ""


def _value(candidate: Candidate) -> float:
    unit = candidate.quantity.unit
    return candidate.low * (unit.factor if unit else 1.0)

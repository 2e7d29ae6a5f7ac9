"""Choose the option with the highest, lowest, first or last value, each found in the option's own sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kohaku_lib.answering.extractive.evidence.evidence import Evidence, Sentence
from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.numbers.numbers import NumberCandidate, number_candidates
from kohaku_lib.answering.extractive.question.directions import Direction, direction_of
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.text import tokens_of


@dataclass(frozen=True, slots=True)
class RatedOption:
    """An option with the number or year that its own sentences state."""

    option: str
    candidate: NumberCandidate


def rank_options(form: QuestionForm, evidence: Evidence) -> Finding | None:
    """Return the option with the requested extreme of the numbers or years in its own sentences.

    None if no extreme is requested, fewer than two options have a value, or the values measure different things. An
    option's own sentences are those that name it and those of a snippet that begins with it.
    """
    direction = direction_of(form.text)
    if not direction:
        return None
    rated_options = _rate_options(form, evidence, direction)
    if len(rated_options) < 2:
        return None
    pick = min if direction in {"low", "first"} else max
    best = pick(rated_options, key=lambda one: _base_value(one.candidate))
    if sum(_base_value(one.candidate) == _base_value(best.candidate) for one in rated_options) > 1:
        return None
    sentence = best.candidate.sentence
    documents = tuple(dict.fromkeys(one.candidate.sentence.document_id for one in (best, *rated_options)))
    share = len(rated_options) / len(form.options)
    cited = documents if len(documents) <= len(form.options) and len(set(documents)) == 1 else (sentence.document_id,)
    return Finding(best.option, sentence.text, cited, 0.4 + 0.4 * share, 0.4 + 0.4 * share, max(0.5, sentence.support))


_ARTICLE = re.compile(r"^the\s+", re.IGNORECASE)
_OPENING_WORDS = 6  # words in which a snippet names its subject


def _rate_options(form: QuestionForm, evidence: Evidence, direction: Direction) -> list[RatedOption]:
    """Return the options with their best numbers, of the measure that most options and the best candidates share."""
    kind = "year" if direction in {"first", "last"} else "number"
    relaxed = replace(form, kind=kind, unit=None, numbers=frozenset(), bound="", end="")
    others = frozenset(token.stem for name in form.options for token in tokens_of(name))
    weights = {stem: weight for stem, weight in evidence.stem_to_weight.items() if stem not in others}
    by_measure: dict[str, dict[str, NumberCandidate]] = {}
    for option in form.options:
        own = replace(evidence, sentences=own_sentences(option, evidence.sentences), stem_to_weight=weights)
        for one in number_candidates(relaxed, own):
            if (
                one.low == one.high
                and not _is_in_option_name(option, one)
                and (kind == "year" or not one.quantity.is_year)
            ):
                by_measure.setdefault(_measure(one), {}).setdefault(option, one)
    if not by_measure:
        return []
    best = max(by_measure.values(), key=lambda found: (len(found), sum(one.score for one in found.values())))
    return [RatedOption(option, candidate) for option, candidate in best.items()]


def own_sentences(option: str, sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Return the sentences that name `option`, and all sentences of snippets that name it in their first words."""
    stems = [token.stem for token in tokens_of(_ARTICLE.sub("", option))]
    about: set[int] = set()
    seen: set[int] = set()
    for sentence in sentences:
        if sentence.rank not in seen and _find_stems(stems, sentence, _OPENING_WORDS + len(stems)) is not None:
            about.add(sentence.rank)
        seen.add(sentence.rank)
    return tuple(one for one in sentences if one.rank in about or _find_stems(stems, one, len(one.tokens)) is not None)


def _find_stems(stems: list[str], sentence: Sentence, within: int) -> int | None:
    tokens = [token.stem for token in sentence.tokens[:within]]
    starts = range(len(tokens) - len(stems) + 1)
    return next((first for first in starts if stems and tokens[first : first + len(stems)] == stems), None)


def _is_in_option_name(option: str, candidate: NumberCandidate) -> bool:
    """Return whether the number is part of the option's own name, as in "Llama 3.2"."""
    text, start, end = candidate.sentence.text, candidate.quantity.start, candidate.quantity.end
    place = text.find(option)
    return place >= 0 and place <= start and end <= place + len(option)


def _measure(candidate: NumberCandidate) -> str:
    """Return the measure of a number: its unit, otherwise the counted noun, "" for a bare cell or year."""
    unit, nouns = candidate.quantity.unit, candidate.quantity.nouns
    if unit is not None:
        return unit.measure
    return f"noun:{nouns[0]}" if nouns and not candidate.quantity.is_year and not candidate.sentence.header else ""


def _base_value(candidate: NumberCandidate) -> float:
    unit = candidate.quantity.unit
    return candidate.low * (unit.factor if unit else 1.0)

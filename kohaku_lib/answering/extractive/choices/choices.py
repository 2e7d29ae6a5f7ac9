"""Choose the listed option that the snippets support."""

from __future__ import annotations

from dataclasses import replace

from kohaku_lib.answering.extractive.choices.extremes import choose_extreme
from kohaku_lib.answering.extractive.choices.ranking import own_sentences, rank_options
from kohaku_lib.answering.extractive.evidence.evidence import Evidence, Sentence
from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.nearness import nearness
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.text import term_of, tokens_of
from kohaku_lib.text.word_lists import words


def choose_option(form: QuestionForm, evidence: Evidence) -> Finding | None:
    """Return the option with the requested extreme value, otherwise the one closest to the rest of the question.

    Ties go to earlier options.
    """
    numeric = choose_extreme(form, evidence) or rank_options(form, evidence)
    if numeric is not None:
        return numeric
    best: tuple[float, str, Sentence] | None = None
    option_stems = {option: frozenset(token.stem for token in tokens_of(option)) for option in form.options}
    rest = _drop_option_stems(evidence, option_stems)
    for option in form.options:
        for sentence in own_sentences(option, evidence.sentences):
            score = _option_score(rest, sentence, option_stems[option])
            if best is None or score > best[0]:
                best = (score, option, sentence)
    if best is None:
        return None
    score, option, sentence = best
    return Finding(option, sentence.text, (sentence.document_id,), min(1.0, score / 2.5), score, sentence.support)


_SUPERLATIVE = frozenset(
    map(term_of, words("most highest largest greatest best top first leading lowest least smallest fewest"))
)


def _drop_option_stems(evidence: Evidence, option_stems: dict[str, frozenset[str]]) -> Evidence:
    excluded = frozenset[str]().union(*option_stems.values())
    weights = {stem: weight for stem, weight in evidence.stem_to_weight.items() if stem not in excluded}
    return replace(evidence, stem_to_weight=weights)


def _option_score(rest: Evidence, sentence: Sentence, stems: frozenset[str]) -> float:
    place = next((token for token in sentence.tokens if token.stem in stems), None)
    near = nearness(rest.stem_to_weight, sentence, (place.start, place.end)) if place is not None else 0.0
    own = sum(weight for stem, weight in rest.stem_to_weight.items() if stem in sentence.stems)
    return (
        own
        + sentence.support
        + near
        + 0.2 * bool(sentence.stems & _SUPERLATIVE)
        + 0.3 * rest.document_to_share[sentence.document_id]
    )

"""Answers read by the model: a value with the sentence or row that holds it, or sentences for a reason or a summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.question.question import QuestionForm
from kohaku_lib.answering.extractive.reader.asked import Asked
from kohaku_lib.answering.extractive.reader.candidates import MOST_PASSAGES, Candidate, read_candidates
from kohaku_lib.answering.extractive.reader.confidence import Weights, load_weights, probability
from kohaku_lib.answering.extractive.reader.explanations import asks_for_summary, gives_asked_reason, summary_of
from kohaku_lib.answering.extractive.reader.model import WEIGHTS, SpanModel, load_model
from kohaku_lib.answering.extractive.reader.roles import find_holders
from kohaku_lib.answering.extractive.reader.row_lists import find_rows
from kohaku_lib.tables import Snippet
from kohaku_lib.text.dates import plain_dates


@dataclass(frozen=True, slots=True)
class Reader:
    """The model with the weights of what speaks for its candidates, and how many passages of a context it reads."""

    model: SpanModel
    weights: Weights
    most_passages: int = MOST_PASSAGES

    def find(self, form: QuestionForm, question: str, snippets: Sequence[Snippet]) -> Finding | None:
        """Return the likeliest answer with the probability that it is right; None if no passage has one that fits.

        What is found depends on the question and the passage that holds it; other passages can only be likelier.
        """
        rows = find_rows(question, snippets)
        if rows is not None:
            return rows
        holders = find_holders(Asked.of(form, question), snippets)
        if holders is not None:
            return holders
        candidates = read_candidates(self.model, form, question, snippets, self.most_passages)
        best = max(candidates, key=lambda one: self._likelihood(one, question), default=None)
        return None if best is None else self._finding(best, question)

    def _likelihood(self, one: Candidate, question: str) -> float:
        """Return the probability of a candidate.

        A sentence that gives the reason for what the question says is likely, and so is the one amount of the asked unit,
        or the one date, in a sentence that says every word of the question.
        """
        fitted = probability(one, self.weights)
        if one.place == "sentence":
            return max(fitted, _ALL_SAID) if one.is_stated else fitted
        if one.place != "explanation" or not gives_asked_reason(question, one.located.line.quote):
            return fitted
        is_asked = one.features["words_of_line"] >= _LEAST_SAID and not one.features["names_missing_in_line"]
        return max(fitted, _REASON_GIVEN) if is_asked else fitted

    def _finding(self, best: Candidate, question: str) -> Finding:
        quote, value = best.located.line.quote, best.value
        if asks_for_summary(question):
            value = quote = summary_of(best.located.passage)
        document = best.located.passage.snippet.document_id
        wording = "" if best.asked == plain_dates(question).text else best.asked
        return Finding(value, quote, (document,), self._likelihood(best, question), wording=wording)


def load_reader(weights: Path = WEIGHTS, most_passages: int = MOST_PASSAGES) -> Reader:
    """Return the reader with the weights of its model at `weights`, and of its candidates beside them."""
    return Reader(load_model(weights), load_weights(weights), most_passages)


# Set, not fitted: the sets of benchmarks/fit_reader.py ask for no reasons, and their documents are in other words.
_REASON_GIVEN = 0.75
_ALL_SAID = 0.7
_LEAST_SAID = 0.4  # share of the question's content words in the sentence, of those that its title does not say

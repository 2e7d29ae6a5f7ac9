"""Details of each wrong question: question, answer, citations, and the evidence in its context."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kohaku_lib.evaluation.error_classes import ERROR_CLASSES, RIGHT
from kohaku_lib.evaluation.metrics.evidence import evidence_recall, gold_documents, gold_quote
from kohaku_lib.values import BLANK, is_blank, values_equal

_MAX_EXCERPT_CHARS = 420  # characters of a snippet that are shown


@dataclass(frozen=True, slots=True)
class AnswerCitation:
    """A citation of the answer; `quote_found` is whether the quote was found there, None if not checked."""

    document_id: str
    page: int | None
    quote: str
    url: str
    quote_found: bool | None


@dataclass(frozen=True, slots=True)
class ContextEvidence:
    """The gold evidence in a context.

    `found_at` is the rank of the first gold document among the retrieved documents, from 1, `shown_at` among the
    snippets; None if it is not there. `quote_share` is the share of the gold quote in the context, None if there is no
    quote. `document_id`, `page` and `text` are those of the snippet with most of it.
    """

    found_at: int | None
    shown_at: int | None
    snippets: int
    quote_share: float | None
    document_id: str = ""
    page: int | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class WrongQuestion:
    """One wrong question; `evidence` is None if the context is unknown."""

    id: str
    question: str
    error_class: str
    detail: str
    truth_value: str
    truth_refs: tuple[str, ...]
    answer_value: str
    refs: tuple[str, ...]
    unit: str
    gold_quote: str
    citations: tuple[AnswerCitation, ...]
    evidence: ContextEvidence | None
    probability: float | None
    right_members: tuple[str, ...]


def wrong_questions(
    errors: Sequence[Mapping[str, Any]],
    truth: Mapping[str, Mapping[str, str]],
    votes: Mapping[str, Mapping[str, Any]],
    predictions: Mapping[str, Sequence[Mapping[str, Any]]],
    contexts: Mapping[str, Mapping[str, Any]] | None,
    right_by_member: Mapping[str, set[str]],
    probabilities: Mapping[str, float],
) -> tuple[WrongQuestion, ...]:
    """Return the wrong rows of ERROR_REPORT, by error class and then in their order.

    `truth`, `votes` (ENSEMBLE_VOTES), `predictions` (PREDICTIONS, several a question) and `contexts`
    (RETRIEVED_CONTEXT) are by question.
    """
    classes = list(ERROR_CLASSES)
    wrong = sorted(
        (row for row in errors if row["error_class"] != RIGHT), key=lambda row: classes.index(row["error_class"])
    )
    return tuple(
        _wrong_question(
            row,
            truth[row["id"]],
            _answer_citations(votes.get(row["id"]), predictions.get(row["id"], ())),
            None if contexts is None else _context_evidence(row["question"], truth[row["id"]], contexts.get(row["id"])),
            probabilities.get(row["id"]),
            tuple(name for name, ids in right_by_member.items() if row["id"] in ids),
        )
        for row in wrong
    )


def _wrong_question(
    row: Mapping[str, Any],
    truth: Mapping[str, str],
    citations: tuple[AnswerCitation, ...],
    evidence: ContextEvidence | None,
    probability: float | None,
    right_members: tuple[str, ...],
) -> WrongQuestion:
    unit = truth.get("answer_unit", "")
    return WrongQuestion(
        row["id"],
        row["question"],
        row["error_class"],
        row["detail"],
        row["truth_value"],
        tuple(row["truth_refs"]),
        row["answer_value"],
        tuple(row["ref_id"]),
        "" if is_blank(unit) else unit,
        gold_quote(truth) or "",
        citations,
        evidence,
        probability,
        right_members,
    )


def _answer_citations(
    vote: Mapping[str, Any] | None, predictions: Sequence[Mapping[str, Any]]
) -> tuple[AnswerCitation, ...]:
    """Return the citations of the first run with the voted value; for a recorded run its references and material."""
    if vote is None or is_blank(vote["answer_value"]):
        return ()
    urls = vote["ref_url"] if len(vote["ref_url"]) == len(vote["ref_id"]) else [BLANK] * len(vote["ref_id"])
    url_by_ref = {ref: "" if is_blank(url) else url for ref, url in zip(vote["ref_id"], urls, strict=True)}
    agreeing_rows = [row for row in predictions if values_equal(row["answer_value"], vote["answer_value"])]
    citations = next((row["citations"] for row in agreeing_rows if row["citations"]), [])
    if citations:
        return tuple(
            AnswerCitation(
                citation["document_id"],
                citation["page"],
                citation["quote"] or "",
                url_by_ref.get(citation["document_id"], ""),
                citation["quote_found"] if citation["quote"] else None,
            )
            for citation in citations
        )
    material = "" if is_blank(vote["supporting_materials"]) else vote["supporting_materials"]
    return tuple(
        AnswerCitation(ref, None, material if place == 0 else "", url_by_ref[ref], None)
        for place, ref in enumerate(vote["ref_id"])
    )


def _context_evidence(question: str, truth: Mapping[str, str], context: Mapping[str, Any] | None) -> ContextEvidence:
    if context is None:
        return ContextEvidence(None, None, 0, None)
    gold, snippets = gold_documents(truth), context["snippets"]
    quote = gold_quote(truth)
    texts = [snippet["text"] for snippet in snippets]
    quote_share = evidence_recall(quote, texts) if quote else None
    gold_snippets = [snippet for snippet in snippets if snippet["document_id"].lower() in gold] or snippets[:1]
    wanted_words = _significant_words(quote or f"{question} {truth['answer_value']}")
    best_snippet: Mapping[str, Any] = max(
        gold_snippets, key=lambda snippet: len(wanted_words & _significant_words(snippet["text"])), default={}
    )
    return ContextEvidence(
        _first_rank([match["document_id"] for match in context["matches"]], gold),
        _first_rank([snippet["document_id"] for snippet in snippets], gold, distinct=False),
        len(snippets),
        quote_share,
        best_snippet.get("document_id", ""),
        best_snippet.get("page"),
        _excerpt(best_snippet.get("text", ""), wanted_words),
    )


def _first_rank(documents: Sequence[str], gold: set[str], distinct: bool = True) -> int | None:
    names = list(dict.fromkeys(map(str.lower, documents))) if distinct else list(map(str.lower, documents))
    return next((place for place, name in enumerate(names, start=1) if name in gold), None)


def _excerpt(text: str, wanted_words: set[str]) -> str:
    """Return the excerpt of `text` with most of the `wanted` words, or its beginning."""
    line = " ".join(text.split())
    if len(line) <= _MAX_EXCERPT_CHARS:
        return line
    starts = range(0, len(line) - _MAX_EXCERPT_CHARS + 1, 60)
    best = max(
        starts, key=lambda start: len(wanted_words & _significant_words(line[start : start + _MAX_EXCERPT_CHARS]))
    )
    end = best + _MAX_EXCERPT_CHARS
    return ("…" if best else "") + line[best:end].strip() + ("…" if end < len(line) else "")


def _significant_words(text: str) -> set[str]:
    return {word for word in re.findall(r"[a-z0-9.,%]+", text.lower()) if len(word) > 3 or any(map(str.isdigit, word))}

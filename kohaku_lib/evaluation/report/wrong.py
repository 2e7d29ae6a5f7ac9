"""Details of each wrong question: question, answer, citations, and the evidence in its context."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kohaku_lib.evaluation.error_classes import ERROR_CLASSES, RIGHT
from kohaku_lib.evaluation.metrics.evidence import evidence_recall, gold_documents, gold_quote
from kohaku_lib.values import BLANK, is_blank, values_equal

_LONGEST = 420  # characters of a snippet that are shown


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation of the answer; `verified` is whether the quote was found there, None if not checked."""

    document_id: str
    page: int | None
    quote: str
    url: str
    verified: bool | None


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
    """One wrong question; `held` is None if the context is unknown."""

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
    cited: tuple[Cited, ...]
    held: ContextEvidence | None
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
            _cited(votes.get(row["id"]), predictions.get(row["id"], ())),
            None if contexts is None else _held(row["question"], truth[row["id"]], contexts.get(row["id"])),
            probabilities.get(row["id"]),
            tuple(name for name, ids in right_by_member.items() if row["id"] in ids),
        )
        for row in wrong
    )


def _wrong_question(
    row: Mapping[str, Any],
    truth: Mapping[str, str],
    cited: tuple[Cited, ...],
    held: ContextEvidence | None,
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
        cited,
        held,
        probability,
        right_members,
    )


def _cited(vote: Mapping[str, Any] | None, predictions: Sequence[Mapping[str, Any]]) -> tuple[Cited, ...]:
    """Return the citations of the first run with the voted value; for a recorded run its references and material."""
    if vote is None or is_blank(vote["answer_value"]):
        return ()
    urls = vote["ref_url"] if len(vote["ref_url"]) == len(vote["ref_id"]) else [BLANK] * len(vote["ref_id"])
    url_by_ref = {ref: "" if is_blank(url) else url for ref, url in zip(vote["ref_id"], urls, strict=True)}
    same = [row for row in predictions if values_equal(row["answer_value"], vote["answer_value"])]
    cited = next((row["citations"] for row in same if row["citations"]), [])
    if cited:
        return tuple(
            Cited(
                one["document_id"],
                one["page"],
                one["quote"] or "",
                url_by_ref.get(one["document_id"], ""),
                one["verified"] if one["quote"] else None,
            )
            for one in cited
        )
    material = "" if is_blank(vote["supporting_materials"]) else vote["supporting_materials"]
    return tuple(
        Cited(ref, None, material if place == 0 else "", url_by_ref[ref], None)
        for place, ref in enumerate(vote["ref_id"])
    )


def _held(question: str, truth: Mapping[str, str], context: Mapping[str, Any] | None) -> ContextEvidence:
    if context is None:
        return ContextEvidence(None, None, 0, None)
    gold, snippets = gold_documents(truth), context["snippets"]
    quote = gold_quote(truth)
    texts = [snippet["text"] for snippet in snippets]
    share = evidence_recall(quote, texts) if quote else None
    own = [snippet for snippet in snippets if snippet["document_id"].lower() in gold] or snippets[:1]
    wanted = _words(quote or f"{question} {truth['answer_value']}")
    best = max(own, key=lambda snippet: len(wanted & _words(snippet["text"])), default={})
    return ContextEvidence(
        _first([match["document_id"] for match in context["matches"]], gold),
        _first([snippet["document_id"] for snippet in snippets], gold, distinct=False),
        len(snippets),
        share,
        best.get("document_id", ""),
        best.get("page"),
        _around(best.get("text", ""), wanted),
    )


def _first(documents: Sequence[str], gold: set[str], distinct: bool = True) -> int | None:
    ranked = list(dict.fromkeys(map(str.lower, documents))) if distinct else list(map(str.lower, documents))
    return next((place for place, name in enumerate(ranked, start=1) if name in gold), None)


def _around(text: str, wanted: set[str]) -> str:
    """Return the excerpt of `text` with most of the `wanted` words, or its beginning."""
    line = " ".join(text.split())
    if len(line) <= _LONGEST:
        return line
    starts = range(0, len(line) - _LONGEST + 1, 60)
    best = max(starts, key=lambda start: len(wanted & _words(line[start : start + _LONGEST])))
    end = best + _LONGEST
    return ("…" if best else "") + line[best:end].strip() + ("…" if end < len(line) else "")


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[a-z0-9.,%]+", text.lower()) if len(word) > 3 or any(map(str.isdigit, word))}

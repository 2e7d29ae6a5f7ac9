"""The stored trace of how one state of the project answered one question."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.answering.chat.answer_prompt import structured_prompt, without_place
from kohaku_lib.answering.chat.short_prompt import short_prompt
from kohaku_lib.answering.figures import figure_snippets
from kohaku_lib.digests import text_sha256
from kohaku_lib.retrieval.contexts import snippet_from_row
from kohaku_lib.retrieval.packing.ordering import in_order
from kohaku_lib.tables import ImageMatch, Question, Snippet


@dataclass(frozen=True, slots=True)
class RecordedTables:
    """The tables of one state of the project, None if not available; `stages` are the settings and code tag of each stage."""

    stages: Mapping[str, Mapping[str, Any]] | None = None  # stage to {"code", "settings"}
    documents: Mapping[str, str] | None = None  # document id to the digest of its file
    questions: pa.Table | None = None
    contexts: pa.Table | None = None
    predictions: pa.Table | None = None
    votes: pa.Table | None = None
    scores: pa.Table | None = None


@dataclass(frozen=True, slots=True)
class PromptTrace:
    """The first prompt of a question, rebuilt from its stored context.

    `called` is whether the call ledger has a call with exactly this prompt; None if there is no ledger, or if pictures
    were attached, as the selected pictures are not stored.
    """

    text: str
    called: bool | None


@dataclass(frozen=True, slots=True)
class QuestionTrace:
    """The trace of one question; a part is None if it is not available or does not exist.

    `runs` and `vote` are rows of PREDICTIONS and ENSEMBLE_VOTES; `scores` are those of the vote by metric.
    """

    id: str
    question_row: Mapping[str, Any] | None
    stages: Mapping[str, Mapping[str, Any]] | None
    documents: Mapping[str, str] | None
    plan: Mapping[str, Any] | None
    snippets: tuple[Snippet, ...] | None
    prompt: PromptTrace | None
    runs: tuple[Mapping[str, Any], ...] | None
    vote: Mapping[str, Any] | None
    scores: Mapping[str, float] | None

    @property
    def attempts(self) -> list[list[dict[str, Any]]]:
        """Every attempt of each run."""
        return [json.loads(row["trace_json"] or "{}").get("attempts", []) for row in self.runs or ()]

    @property
    def answerer(self) -> str | None:
        """Who answered: "reader", "model", "checked" or "replay"; None if unknown."""
        settings = (self.stages or {}).get("predictions", {}).get("settings", {})
        if "answer.by" in settings or "llm.provider" not in settings:
            return settings.get("answer.by")
        return _EARLIER.get(settings["llm.provider"], "model")


_EARLIER = {
    "extractive": "reader",
    "reader": "reader",
    "replay": "replay",
}  # llm.provider in records of earlier versions


def trace_question(name: str, tables: RecordedTables, called_prompts: frozenset[str] | None = None) -> QuestionTrace:
    """Return the trace of the question `name`; `called_prompts` are the digests of the prompts in the ledger.

    The trace of an unknown question consists of Nones.
    """
    context = _first_row(tables.contexts, name)
    question_row = _first_row(tables.questions, name)
    snippets = None if context is None else tuple(map(snippet_from_row, context["snippets"]))
    runs = None if tables.predictions is None else tuple(_rows_of(tables.predictions, name))
    trace = QuestionTrace(
        id=name,
        question_row=question_row,
        stages=tables.stages,
        documents=tables.documents,
        plan=None if context is None else context["plan"],
        snippets=snippets,
        prompt=None,
        runs=runs,
        vote=_first_row(tables.votes, name),
        scores=_vote_scores(tables.scores, name),
    )
    images = [] if context is None else [ImageMatch(**image) for image in context["images"] or ()]
    return replace(trace, prompt=_rebuild_prompt(trace, question_row, images, called_prompts))


def _rebuild_prompt(
    trace: QuestionTrace,
    question_row: Mapping[str, Any] | None,
    images: Sequence[ImageMatch],
    called_prompts: frozenset[str] | None,
) -> PromptTrace | None:
    snippets = trace.snippets or ()
    if trace.answerer not in ("model", "checked") or question_row is None or not (snippets or images):
        return None
    settings = (trace.stages or {})["predictions"]["settings"]
    if settings.get("answer.form") == "text":  # whose prompt is shared out by the model's window
        return None
    if not settings.get("answer.headings"):
        snippets = tuple(map(without_place, snippets))
    shows = bool(settings.get("answer.send_images"))
    figures = figure_snippets(images, len(snippets), uncaptioned=shows)
    build_prompt = short_prompt if settings.get("answer.prompt") == "short" else structured_prompt
    prompt = build_prompt(
        Question(trace.id, question_row["question"], question_row["answer_unit"]),
        in_order(snippets, settings["answer.snippet_order"]),
        figures,
        context_first=settings["answer.context_first"],
        best_guess=bool(settings.get("answer.best_guess")),  # a state may be older than the setting
        cited=settings.get("answer.cite", "document"),
    )
    text = f"{prompt.system}\n\n{prompt.user}"
    has_pictures = shows and any(figure.searched for figure in figures)
    return PromptTrace(text, None if called_prompts is None or has_pictures else text_sha256(text) in called_prompts)


def _vote_scores(scores: pa.Table | None, name: str) -> dict[str, float] | None:
    if scores is None:
        return None
    rows = scores.filter((pc.field("id") == name) & (pc.field("member") == "ensemble")).to_pylist()
    return {row["metric"]: row["score"] for row in rows} or None


def _first_row(table: pa.Table | None, name: str) -> dict[str, Any] | None:
    rows = [] if table is None else _rows_of(table, name)
    return rows[0] if rows else None


def _rows_of(table: pa.Table, name: str) -> list[dict[str, Any]]:
    return table.filter(pc.field("id") == name).to_pylist()

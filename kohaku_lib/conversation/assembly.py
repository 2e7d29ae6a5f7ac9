"""Drafts of answers from the documents, and what they are worth: sources, confidence, sufficiency, suggestions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kohaku_lib.answering.answer import NO_TRACE, Answer
from kohaku_lib.answering.cited.dialogue import Dialogue
from kohaku_lib.answering.cited.grounding import CITATION, grounding, judge_claims
from kohaku_lib.answering.citing.quotes import Citation
from kohaku_lib.answering.coverage.similarity import passage_similarities
from kohaku_lib.answering.coverage.sufficiency import Sufficiency
from kohaku_lib.answering.engine import Engine
from kohaku_lib.answering.figures import FigureSnippet, passages_of
from kohaku_lib.answering.labels import answerer_name
from kohaku_lib.answering.lost_channels import lost_channels, remaining_share
from kohaku_lib.conversation.response.draft import Draft
from kohaku_lib.conversation.response.extract import QUOTING_INTENTS, extract_answer, extract_passages
from kohaku_lib.conversation.response.quoted import in_node, quoted
from kohaku_lib.conversation.response.response import SNIPPET_CHARS, Response, Source
from kohaku_lib.conversation.response.suggestions import suggest_questions
from kohaku_lib.index import Snapshot
from kohaku_lib.index.page_boxes import box_on_page
from kohaku_lib.tables import Question, RetrievalResult, Snippet


@dataclass(frozen=True, slots=True)
class Found:
    """What was found for a question in one index version; `vector` (dim,) is that of the question."""

    question: str
    intent: str
    result: RetrievalResult
    snapshot: Snapshot
    vector: np.ndarray
    engine: Engine

    @property
    def snippets(self) -> tuple[Snippet, ...]:
        """The passages with a text, best first."""
        return tuple(snippet for snippet in passages_of(self.result) if snippet.text.strip())

    def sufficiency(self) -> Sufficiency:
        """Return whether the passages can answer the question."""
        return self.engine.sufficiency(self.question, self.snippets)


def draft_of(found: Found, dialogue: Dialogue | None = None) -> Draft:
    """Return what the engine answers in a dialogue, else the passages that come closest, quoted.

    These are the answer to a question that no single value answers.
    """
    question = Question(found.result.id, found.question)
    answer = found.engine.answer(question, found.result, dialogue=dialogue)
    answer = found.engine.with_passages(question, answer)
    is_overview = found.intent in QUOTING_INTENTS and found.sufficiency().is_sufficient
    return extract_answer(answer) or extract_passages(answer, is_overview=is_overview)


def assemble(draft: Draft, found: Found, response: Response) -> Response:
    """Return `response` with the content of `draft`, its sources, and what the answer is worth.

    The confidence is that of the engine where it knows one for a value or a passage, else, and for texts with
    assistant.confidence = "grounding", the mean similarity of the cited passages times the share of claims that they support,
    times the weight of the search channels that were not lost. 0 where nothing was found, or there is no source.
    """
    claims = judge_claims(draft.content, [source.text for source in draft.sources])
    cited = {int(number) for number in CITATION.findall(draft.content)}
    sources = _sources(draft, cited, found)
    similarities = [max(0.0, source.similarity_score) for source in sources if source.cited and source.similarity_score]
    relevance = float(np.mean(similarities)) if similarities else 0.0
    lost = draft.answer.lost_channels if draft.answer is not None else lost_channels(found.result.trace)
    settings = found.engine.settings
    worth = draft.answer.confidence if draft.answer is not None and draft.answer.outcome != "silent" else None
    if worth is None or _is_grounded(draft, found):
        worth = relevance * grounding(claims) * remaining_share(lost, settings.retrieval)
    confidence = min(1.0, worth) if draft.is_answer and sources else 0.0
    ids = [source.chunk_id for source, snippet in zip(sources, draft.sources, strict=True) if _is_node(source, snippet)]
    org_id = str(found.snapshot.nodes.column("org_id")[found.snapshot.row_of(ids[0])]) if ids else ""
    suggested = draft.suggested_questions or suggest_questions(found.snapshot, ids, found.question, org_id)
    says = draft.answer is None or draft.answer.outcome == "value"  # else the content quotes, and claims nothing
    return replace(
        response,
        content=draft.content,
        answer=replace(_answer_of(draft, sources, found, confidence), trace=NO_TRACE),
        sources=sources,
        confidence_score=confidence,
        suggested_questions=suggested,
        context_sufficiency=found.sufficiency(),
        is_answer=draft.is_answer,
        trace={
            **response.trace,
            "intent": found.intent,
            "queries": list(found.result.queries),
            "snippets": [snippet.node_id for snippet in found.snippets],
            "claims": [
                {"text": one.text, "cited": list(one.cited), "supported": one.supported} for one in claims if says
            ],
            "lost_channels": dict(lost),
        },
    )


def _answer_of(draft: Draft, sources: Sequence[Source], found: Found, confidence: float) -> Answer:
    """Return the answer of a draft; content of several parts has no single value."""
    if draft.answer is not None:
        return replace(draft.answer, confidence=confidence) if _is_grounded(draft, found) else draft.answer
    return Answer(
        question=found.question,
        text=draft.content,
        form="text",
        value=None,
        outcome="value" if draft.is_answer else "silent",
        confidence=confidence,
        citations=tuple(
            Citation(
                source.document_id, source.chunk_id, source.page_number, None, quote_found=False, heading=source.heading
            )
            for source in sources
            if source.cited
        ),
        answered_by=answerer_name(found.engine.settings),
        lost_channels=lost_channels(found.result.trace),
    )


def _is_grounded(draft: Draft, found: Found) -> bool:
    """Return whether a draft is a text whose confidence is relevance times grounding, as the source of the assistant has it."""
    is_text = draft.answer is not None and draft.answer.form == "text"
    return is_text and found.engine.settings.assistant.confidence == "grounding"


def _title_of(snippet: Snippet) -> str:
    return snippet.document_title or snippet.document_id


def _is_node(source: Source, snippet: Snippet) -> bool:
    return source.cited and not isinstance(snippet, FigureSnippet)


def _sources(draft: Draft, cited: set[int], found: Found) -> tuple[Source, ...]:
    snippets = draft.sources
    similarities = passage_similarities(found.snapshot, [snippet.node_id for snippet in snippets], found.vector)
    best = max((snippet.score for snippet in snippets), default=0.0)
    pages = _cited_pages(draft)
    return tuple(
        Source(
            document_id=snippet.document_id,
            document_name=found.snapshot.document_files.get(snippet.document_id) or _title_of(snippet),
            document_title=_title_of(snippet),
            chunk_id=snippet.node_id,
            page_number=page,
            heading=snippet.heading,
            snippet=snippet.text[:SNIPPET_CHARS],
            relevance_score=snippet.score / best if best > 0 else 0.0,
            similarity_score=similarity,
            box=_box(found.snapshot, snippet, page),
            cited=number in cited,
            **_quote(draft, snippet, found.snapshot),
        )
        for number, (snippet, page, similarity) in enumerate(zip(snippets, pages, similarities, strict=True), start=1)
    )


def _quote(draft: Draft, snippet: Snippet, snapshot: Snapshot) -> dict[str, Any]:
    found = quoted(draft.answer, snippet, is_answer=draft.is_answer) if draft.answer is not None else None
    if found is None:
        return {}
    if not isinstance(snippet, FigureSnippet):
        found = in_node(found, snippet, snapshot.text(snapshot.row_of(snippet.node_id)))
    return {
        "quote": found.text,
        "marked": found.marked,
        "char_start": found.char_start,
        "char_end": found.char_end,
    }


def _cited_pages(draft: Draft) -> list[int | None]:
    """Return the page of what the answer shows or cites of each source, else that of the match in it."""
    if draft.answer is not None and draft.answer.passages and draft.answer.outcome != "value":
        return [passage.page for passage, _ in zip(draft.answer.passages, draft.sources, strict=False)]
    cited = {one.node_id: one.page for one in (draft.answer.citations if draft.answer else ())}
    return [cited.get(snippet.node_id, snippet.page) for snippet in draft.sources]


def _box(snapshot: Snapshot, snippet: Snippet, page: int | None) -> tuple[float, ...] | None:
    return None if isinstance(snippet, FigureSnippet) else box_on_page(snapshot, snippet.node_id, page)

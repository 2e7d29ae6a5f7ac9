"""Questions about the documents as such ("What do you have?", "What has changed?"), answered by a chat model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kohaku_lib.answering.chat.answer_prompt import fenced
from kohaku_lib.answering.cited.budgets import newest_fitting
from kohaku_lib.answering.cited.cited_text import checked_citations
from kohaku_lib.answering.cited.cited_writer import model_tier, source_block, text_request, token_budget, turns_block
from kohaku_lib.answering.cited.replies import parse_reply
from kohaku_lib.answering.coverage.content_words import content_stems
from kohaku_lib.conversation.asked_message import AskedMessage
from kohaku_lib.conversation.assembly import Found
from kohaku_lib.conversation.response.draft import Draft
from kohaku_lib.documents.corpus.file_facts import file_facts
from kohaku_lib.index import Snapshot
from kohaku_lib.llm import ChatModel
from kohaku_lib.prompts import documents_overview as wording
from kohaku_lib.settings import Settings
from kohaku_lib.tables import Question, Snippet
from kohaku_lib.text.token_estimates import estimated_tokens

_MOST = 200  # documents that are described
_DETAILED, _DETAILED_CHARS, _BRIEF_CHARS = 5, 2000, 300


def overview_draft(
    found: Found, asked: AskedMessage, documents: Sequence[Mapping[str, Any]], settings: Settings, chat: ChatModel
) -> Draft | None:
    """Return what the model says about `documents` (rows of DOCUMENTS); None if it is asked something else, or cites none.

    Raises:
        CallError: The call fails, or its reply was cut.
    """
    described = document_snippets(found.snapshot, documents, found.question, settings.corpus.documents)
    system = wording.SYSTEM.format(today=datetime.now(UTC).date().isoformat())
    tier = model_tier(settings)
    budget = token_budget(settings, tier, system, sum(map(_tokens, described)))
    shown = newest_fitting(described[::-1], _tokens, budget.chunks, len(described))[::-1]
    blocks = [source_block(number, one) for number, one in enumerate(shown, start=1)]
    user = wording.USER.format(
        sources=fenced("The documents, quoted material:", "sources", blocks),
        turns=turns_block(asked.dialogue.turns, budget, tier),
        question=found.question,
    )
    reply = chat.complete(text_request(asked.question_id, settings, system, user, budget))
    content = parse_reply(reply.text, len(shown)).content
    text = checked_citations(content, shown, Question(asked.question_id, found.question), needs_citation=False)
    return Draft(text.content, text.sources) if text.sources else None


def document_snippets(
    snapshot: Snapshot, documents: Sequence[Mapping[str, Any]], question: str, folder: Path | None
) -> list[Snippet]:
    """Return a description of each document: those that the question names first, in detail, then the latest changed ones."""
    asked = set(content_stems(question))
    changed = {row["document_id"]: _changed_on(folder, row["path"]) for row in documents}

    def named(row: Mapping[str, Any]) -> int:
        return len(asked & set(content_stems(f"{row['title']} {Path(row['path'] or '').stem}")))

    latest = sorted(documents, key=lambda row: changed[row["document_id"]], reverse=True)
    ordered = sorted(latest, key=named, reverse=True)[:_MOST]
    return [
        Snippet(
            node_id=row["document_id"],
            document_id=row["document_id"],
            document_title=row["title"] or row["document_id"],
            page=None,
            text=_description(snapshot, row, changed[row["document_id"]], rank, len(documents)),
            rank=rank,
            score=1.0 / rank,
        )
        for rank, row in enumerate(ordered, start=1)
    ]


def _description(snapshot: Snapshot, row: Mapping[str, Any], changed_on: str, rank: int, count: int) -> str:
    facts = [
        f"Document {rank} of {count}: {row['path'] or row['document_id']}",
        f"title: {row['title']}" if row["title"] else "",
        f"pages: {row['pages']}" if row["pages"] else "",
        f"changed on {changed_on}" if changed_on else "",
    ]
    text, most = f"{'; '.join(filter(None, facts))}.", _DETAILED_CHARS if rank <= _DETAILED else _BRIEF_CHARS
    for line in _outline(snapshot, snapshot.row_of(row["document_id"])):
        if len(text) + len(line) > most:
            break
        text += f"\n{line}"
    return text


def _outline(snapshot: Snapshot, row: int) -> Iterator[str]:
    """Yield each heading below a node with the first sentence beneath it."""
    rows = snapshot.children(row)
    kinds = [snapshot.kind(one) for one in rows]
    for one, kind, title in zip(rows, kinds, snapshot.column("title", rows), strict=True):
        if kind == "section":
            sentence = _first_sentence(snapshot, one)
            yield title if sentence in ("", title) else f"{title}: {sentence}"
            yield from _outline(snapshot, one)


def _first_sentence(snapshot: Snapshot, row: int) -> str:
    """Return the first sentence of the first paragraph right below a section; empty if a section is below it first."""
    for kind in ("paragraph", "sentence"):
        row = next((one for one in snapshot.children(row)[:1] if snapshot.kind(one) == kind), -1)
        if row < 0:
            return ""
    return snapshot.column("text", [row])[0]


def _changed_on(folder: Path | None, path: str | None) -> str:
    """Return the day on which a file was changed (ISO 8601, UTC); empty where it is not at hand."""
    facts = file_facts(folder / path if folder is not None and path else None)
    return (facts.modified_at or "").partition("T")[0]


def _tokens(snippet: Snippet) -> int:
    return estimated_tokens(source_block(1, snippet))

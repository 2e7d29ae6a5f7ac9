"""The served questions that a person should look at: blamed, unanswered, answered unsurely, or about something new."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa

from kohaku_lib.answering.cited.grounding import CITATION
from kohaku_lib.answering.confidence import MEDIUM
from kohaku_lib.answering.coverage.content_words import content_stems
from kohaku_lib.conversation.cache.semantic_cache import normalised_question
from kohaku_lib.conversation.understanding.small_talk import small_talk_reply
from kohaku_lib.conversation.understanding.topics import subject_of

REVIEW_QUEUE = pa.schema(
    [
        pa.field("answer_id", pa.string(), nullable=False),  # of the newest answer to the question
        pa.field("question", pa.string(), nullable=False),
        pa.field("answer", pa.string(), nullable=False),
        pa.field("reasons", pa.list_(pa.string()), nullable=False),
        pa.field("asked", pa.int64(), nullable=False),  # how often
        pa.field("confidence", pa.float64(), nullable=False),
        pa.field("correction", pa.string()),  # the newest one by a user
        pa.field("sources", pa.list_(pa.string()), nullable=False),  # what a user named, else the cited documents
    ]
)
CORRECTED, BLAMED, UNANSWERED, UNSURE, NEW_TOPIC = (
    "corrected",
    "thumbs down",
    "unanswered",
    "low confidence",
    "new topic",
)
REASONS = (CORRECTED, BLAMED, UNANSWERED, UNSURE, NEW_TOPIC)  # the most urgent first
RECENT = timedelta(days=30)  # a topic is new if nobody asked about it before that


def review_queue(
    served: pa.Table, decided: Mapping[str, datetime] | None = None, known: Iterable[str] = ()
) -> pa.Table:
    """Return the questions of `served` (SERVED_QUESTIONS) that a person should look at (REVIEW_QUEUE), most urgent first.

    The same question is one row. Questions by `normalised_question` that were `decided` (with the time) or whose truth is
    `known` are left out, unless a user blamed an answer after the decision. Questions without documents are
    none, and no more are thanks and greetings.
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    rows = [row for row in served.to_pylist() if row["mode"] != "general" and not small_talk_reply(row["question"])]
    for row in rows:
        groups.setdefault(normalised_question(row["question"]), []).append(row)
    is_known, times = {normalised_question(question) for question in known}, decided or {}
    new = _new_topics(rows)
    found = []
    for name, group in groups.items():
        after = [row for row in group if name not in times or row["served_at"] > times[name]]
        open_rows = after if name not in times else [row for row in after if row["rating"] == -1]
        reasons = [reason for reason in REASONS if reason in set(_reasons(open_rows, new))]
        if reasons and (name not in is_known or {CORRECTED, BLAMED} & set(reasons)):
            found.append(_queue_row(open_rows, reasons))
    found.sort(key=lambda row: (REASONS.index(row["reasons"][0]), -row["asked"]))
    return pa.Table.from_pylist(found, schema=REVIEW_QUEUE)


def proposed_value(row: Mapping[str, Any]) -> str:
    """Return the value that a row of REVIEW_QUEUE proposes: the correction, else the first line of the answer.

    >>> proposed_value({"correction": None, "answer": "41800 [Source 1]"})
    '41800'
    """
    first = next((line for line in row["answer"].splitlines() if line.strip()), "")
    return row["correction"] or CITATION.sub("", first).strip(" >*")


def topic_of(question: str) -> str:
    """Return what a question is about, in stems; empty if it names nothing.

    >>> topic_of("Who maintains the model Gintaras-M?")
    'gintaras-m model'
    """
    return " ".join(sorted(content_stems(subject_of(question) or "")))


def _reasons(rows: Sequence[Mapping[str, Any]], new: frozenset[str]) -> Iterator[str]:
    for row in rows:
        if row["correction"]:
            yield CORRECTED
        if row["rating"] == -1:
            yield BLAMED
        if row["rating"] == 1:
            continue
        if not row["is_answer"]:
            yield UNANSWERED
        elif row["confidence"] < MEDIUM:
            yield UNSURE
        if topic_of(row["question"]) in new:
            yield NEW_TOPIC


def _new_topics(rows: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """Return the topics of the last month that nobody asked about before; none where nothing is older."""
    latest = max((row["served_at"] for row in rows), default=None)
    if latest is None:
        return frozenset()
    recent = {topic_of(row["question"]) for row in rows if row["served_at"] > latest - RECENT}
    earlier = {topic_of(row["question"]) for row in rows if row["served_at"] <= latest - RECENT}
    return frozenset(recent - earlier - {""}) if earlier else frozenset()


def _queue_row(rows: Sequence[Mapping[str, Any]], reasons: list[str]) -> dict[str, Any]:
    newest = rows[-1]
    named = next((row["right_source"] for row in reversed(rows) if row["right_source"]), None)
    # what is shown where nothing answers is no source of an answer
    shown = json.loads(newest["sources_json"]) if newest["is_answer"] else ()
    cited = [one["document_id"] for one in shown if one["cited"]]
    return {
        "answer_id": newest["answer_id"],
        "question": newest["question"],
        "answer": newest["answer"],
        "reasons": reasons,
        "asked": len(rows),
        "confidence": newest["confidence"],
        "correction": next((row["correction"] for row in reversed(rows) if row["correction"]), None),
        "sources": [named] if named else list(dict.fromkeys(cited)),
    }

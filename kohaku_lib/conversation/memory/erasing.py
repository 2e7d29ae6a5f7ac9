"""Takes an erased document out of the assistant's database: answers from it, messages that quote it, traces, feedback."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import Table, bindparam, select, text, update

from kohaku_lib.conversation.cache.semantic_cache import normalised_question
from kohaku_lib.conversation.memory.tables import FEEDBACK, MESSAGES, REVIEWS, SERVED, SESSIONS
from kohaku_lib.storage.erasure.traces import ERASED, Traces

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine


_TURN = ("answer", "message", "question")


def questions_about(engine: Engine, org_id: str, traces: Traces) -> set[str]:
    """Return the answer ids of the questions that got passages of the document, cited or not, or quote it."""
    with engine.connect() as connection:
        return {row.answer_id for row in _served(connection, org_id) if _is_about(row, traces)}


def erase_conversations(engine: Engine, org_id: str, traces: Traces) -> int:
    """Erase the document from the rows of an organisation, and return the number of changed rows.

    An answer that cites or quotes it becomes a note, and so does its question, which is about it. SQLite's freed pages are
    overwritten.
    """
    with engine.begin() as connection:
        served = [row for row in _served(connection, org_id) if _is_about(row, traces)]
        erased = {row.answer_id for row in served if _is_cited(row, traces)}
        number = sum(_change_served(connection, row, traces) for row in served)
        number += _change_messages(connection, org_id, erased, traces)
        number += _change_feedback(connection, org_id, erased, traces)
        asked = {normalised_question(row.question) for row in served if row.answer_id in erased}
        number += _change_reviews(connection, org_id, asked, traces)
    if engine.dialect.name == "sqlite":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM"))
            connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
    return number


def _served(connection: Connection, org_id: str) -> list[Any]:
    names = ("answer_id", "message", "question", "answer", "sources_json", "trace_json")
    columns = [SERVED.c[name] for name in names]
    return list(connection.execute(select(*columns).where(SERVED.c.org_id == org_id)))


def _is_about(row: Any, traces: Traces) -> bool:
    texts = (row.message, row.question, row.answer, row.sources_json, row.trace_json)
    return any(map(traces.is_held, texts))


def _is_cited(row: Any, traces: Traces) -> bool:
    sources = json.loads(row.sources_json)
    cites = any(one["document_id"] in traces.document_ids and one["cited"] for one in sources)
    return cites or traces.is_held(row.answer)


def _change_served(connection: Connection, row: Any, traces: Traces) -> int:
    is_cited = _is_cited(row, traces)
    sources = [one for one in json.loads(row.sources_json) if one["document_id"] not in traces.document_ids]
    values = {
        **{name: ERASED if is_cited else _without(getattr(row, name), traces) for name in _TURN},
        "sources_json": json.dumps(sources, ensure_ascii=False),
        "trace_json": "{}" if traces.is_held(row.trace_json) else row.trace_json,
    }
    if values == {name: getattr(row, name) for name in values}:
        return 0
    connection.execute(update(SERVED).where(SERVED.c.answer_id == row.answer_id).values(values))
    return 1


def _change_messages(connection: Connection, org_id: str, erased: set[str], traces: Traces) -> int:
    own = select(SESSIONS.c.session_id).where(SESSIONS.c.org_id == org_id)
    is_own = MESSAGES.c.session_id.in_(own)
    number = _change_texts(connection, MESSAGES, "message_id", ("content", "question"), is_own, traces)
    is_left = (MESSAGES.c.content != ERASED) | (MESSAGES.c.question != ERASED)
    turns = MESSAGES.c.answer_id.in_(erased) & is_left
    changed = update(MESSAGES).where(is_own & turns).values(content=ERASED, question=ERASED)
    return number + connection.execute(changed).rowcount


def _change_reviews(connection: Connection, org_id: str, asked: set[str], traces: Traces) -> int:
    is_asked = REVIEWS.c.org_id == org_id
    number = connection.execute(
        update(REVIEWS).where(is_asked & REVIEWS.c.question.in_(asked)).values(question=ERASED)
    ).rowcount
    return number + _change_texts(connection, REVIEWS, "review_id", ("question",), is_asked, traces)


def _change_feedback(connection: Connection, org_id: str, erased: set[str], traces: Traces) -> int:
    own = select(SERVED.c.answer_id).where(SERVED.c.org_id == org_id)
    columns = (FEEDBACK.c.feedback_id, FEEDBACK.c.answer_id, FEEDBACK.c.correction, FEEDBACK.c.right_source)
    number = 0
    for row in list(connection.execute(select(*columns).where(FEEDBACK.c.answer_id.in_(own)))):
        names_it = row.right_source in traces.document_ids
        is_about = row.correction and (names_it or row.answer_id in erased or traces.is_held(row.correction))
        values = {
            "correction": ERASED if is_about else row.correction,
            "right_source": None if names_it else row.right_source,
        }
        if values != {"correction": row.correction, "right_source": row.right_source}:
            connection.execute(update(FEEDBACK).where(FEEDBACK.c.feedback_id == row.feedback_id).values(values))
            number += 1
    return number


def _change_texts(
    connection: Connection, table: Table, key: str, names: tuple[str, ...], is_own: Any, traces: Traces
) -> int:
    columns = [table.c[name] for name in (key, *names)]
    found = []
    for row in connection.execute(select(*columns).where(is_own)).mappings():
        values = {name: _without(row[name], traces) for name in names}
        if values != {name: row[name] for name in names}:
            found.append({"own_key": row[key], **values})
    if found:
        changed = update(table).where(table.c[key] == bindparam("own_key"))
        connection.execute(changed.values({name: bindparam(name) for name in names}), found)
    return len(found)


def _without(value: str, traces: Traces) -> str:
    return ERASED if traces.is_quoted(value) else value

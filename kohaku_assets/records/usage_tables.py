"""What users asked and what became of it, as tables: served questions, review queue, accepted questions, usage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from kohaku_assets.pipeline.project import Project
from kohaku_lib.storage import write_atomically

if TYPE_CHECKING:
    from sqlalchemy import Engine


def write_usage_table(project: Project, name: str) -> pa.Table:
    """Write one of these tables to its file, as it is now, and return it; that of served questions with their org_id."""
    table, path = usage_table(project, name), usage_path(project, name)
    if name == "served_questions":  # the views of all organisations read one file
        table = table.append_column("org_id", pa.array([project.settings.corpus.org_id] * table.num_rows, pa.string()))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, partial(pq.write_table, table))
    return table


def usage_path(project: Project, name: str) -> Path:
    """Return the file of one of these tables."""
    return project.paths.usage / f"{name}.parquet"


def usage_table(project: Project, name: str) -> pa.Table:
    """Return one of these tables by its name, of the organisation corpus.org_id; empty where no assistant has served it."""
    from kohaku_lib.conversation.usage.usage_report import usage_report

    if name == "accepted_questions":
        return accepted_questions(project)
    served = served_questions(project)
    return {
        "served_questions": lambda: served,
        "review_queue": lambda: _queue(project, served),
        "usage_report": lambda: usage_report(served),
    }[name]()


def served_questions(project: Project) -> pa.Table:
    """Return the questions that were served (SERVED_QUESTIONS), oldest first."""
    from kohaku_lib.conversation.memory.served_questions import SERVED_QUESTIONS, ServedQuestions

    with assistant_database(project) as engine:
        if engine is None:
            return SERVED_QUESTIONS.empty_table()
        return ServedQuestions(engine, project.settings.corpus.org_id).table(project.paths.llm_calls)


def accepted_questions(project: Project) -> pa.Table:
    """Return the questions with accepted truth, as rows of text."""
    from kohaku_lib.conversation.usage.accepted_questions import COLUMNS, accepted_of

    corpus = project.settings.corpus
    rows = accepted_of(corpus.accepted_questions, corpus.org_id)
    return pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in COLUMNS})


@contextmanager
def assistant_database(project: Project) -> Iterator[Engine | None]:
    """Give the assistant's database; None where no assistant has one yet."""
    from kohaku_lib.conversation.memory.database import open_database

    address = project.settings.assistant.database
    if address is None and not project.paths.assistant.is_file():
        yield None
        return
    engine = open_database(project.store, address)
    try:
        yield engine
    finally:
        engine.dispose()


def _queue(project: Project, served: pa.Table) -> pa.Table:
    from kohaku_lib.conversation.memory.reviews import Reviews
    from kohaku_lib.conversation.usage.review_queue import review_queue

    with assistant_database(project) as engine:
        decided = {} if engine is None else Reviews(engine, project.settings.corpus.org_id).decided()
    known = accepted_questions(project)["question"].to_pylist()
    return review_queue(served, decided, known)

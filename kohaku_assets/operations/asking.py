"""Answers to single questions from the published index; nothing here writes an asset."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kohaku_assets.components.preflight import ANSWERING, check_requirements
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_lib.index import SearchFilter, Snapshot
from kohaku_lib.service import fetch_published_index, open_published_index
from kohaku_lib.service.open_project import ask_index, check_filter, check_not_empty, search_index
from kohaku_lib.service.question_answering import QuestionAnswering
from kohaku_lib.tables import RetrievalResult

if TYPE_CHECKING:
    from kohaku_lib.assistant import Assistant


def ask(project: Project, question: str, unit: str | None = None, where: SearchFilter | None = None) -> dict[str, Any]:
    """Answer one question from the part of the published index that `where` selects.

    Returns:
        The prediction as a row of PREDICTIONS.

    Raises:
        InputFileError: The question is empty.
        StoreError: There is no published index.
    """
    check_not_empty(question, "question", "ask")
    fetch_published_index(project.settings)
    snapshot = open_published_index(project.store)
    answering = open_answering(project, snapshot, ANSWERING[:2])
    if where is not None:
        check_filter(answering.session, snapshot, where)
    return ask_index(replace(answering, where=where), question, unit)


def search(
    project: Project, query: str, top_k: int, where: SearchFilter | None = None
) -> tuple[RetrievalResult, dict[str, dict[str, Any]]]:
    """Return the ranking of one query in the published index and its first nodes; see `search_index`."""
    check_not_empty(query, "query", "search for")
    fetch_published_index(project.settings)
    return search_index(Run(project).session, open_published_index(project.store), query, top_k, where)


def cited_text(project: Project, node_id: str | None) -> str:
    """Return the text of a cited node of the published index; empty if it has no such node."""
    if node_id is None:
        return ""
    snapshot = open_published_index(project.store)
    try:
        return str(snapshot.get_nodes([node_id])[0]["text"])
    except KeyError:  # a figure
        return ""


def open_conversations(project: Project) -> Assistant:
    """Return the assistant of a project, after checking that its models are available.

    Raises:
        SettingsError: A key or a model is missing.
        StoreError: There is no published index.
    """
    from kohaku_lib.assistant import Assistant

    run = Run(project)
    check_requirements(run, ANSWERING[:2])
    return Assistant(run.session)


def open_answering(project: Project, snapshot: Snapshot, stages: Collection[str]) -> QuestionAnswering:
    """Return question answering over `snapshot` in a new run, after checking the requirements of `stages`."""
    run = Run(project)
    check_requirements(run, stages)
    return QuestionAnswering(run.session, snapshot)

"""The length of the contexts of a project's questions, by the mode of snippet deduplication."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kohaku_assets.components.indexes import open_own_index
from kohaku_assets.components.preflight import ANSWERING, checked_session
from kohaku_assets.pipeline.project import Project
from kohaku_lib.answering import read_questions
from kohaku_lib.composition import override
from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.experiments.context_lengths import ContextLength, context_length
from kohaku_lib.evaluation.token_counts import TokenCounter
from kohaku_lib.project import open_engine
from kohaku_lib.project.question_tables import context_table
from kohaku_lib.retrieval import results_from_table


def measure_contexts(
    project: Project, questions: Path | None, tokenizer: str, modes: Sequence[str]
) -> dict[str, ContextLength]:
    """Return the length of the contexts under each mode of retrieval.snippet_dedup; `questions` goes before the project's.

    Raises:
        InputFileError: There are no questions.
        StoreError: There is no index.
        ModelError: The tokenizer is missing.
    """
    path = questions or project.settings.corpus.questions
    if path is None:
        msg = "contexts are those of questions, and there are none; give --questions or set corpus.questions"
        raise InputFileError(msg)
    table, _ = read_questions(path)
    counter, snapshot = TokenCounter(tokenizer), open_own_index(project)
    lengths = {}
    for mode in modes:
        under = Project(override(project.loaded, (f"retrieval.snippet_dedup={mode}",)), project.records)
        contexts, _ = context_table(open_engine(checked_session(under, ANSWERING[:2]), snapshot), table)
        lengths[mode] = context_length(results_from_table(contexts), counter)
    return lengths

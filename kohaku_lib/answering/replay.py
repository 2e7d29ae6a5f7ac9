"""Replay of recorded answers, so that external runs can be voted on and scored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kohaku_lib.answering.labels import label_paths
from kohaku_lib.digests import file_sha256
from kohaku_lib.documents import read_rows
from kohaku_lib.errors import KohakuError, SettingsError
from kohaku_lib.settings import Settings
from kohaku_lib.tables import Question, Snippet, StructuredAnswer
from kohaku_lib.values import BLANK, is_blank, parse_refs


def recorded_content(settings: Settings) -> list[list[str]]:
    """Return the label and the content digest of each recorded run."""
    files = settings.replay.runs
    contents = [file_sha256(path) if path.is_file() else "missing" for path in files]
    return [[label, content] for label, content in zip(label_paths(files), contents, strict=True)]


class NotRecordedError(KohakuError):
    """A recorded run contains no answer to a question."""


class ReplayAnswerer:
    """Returns the answers of recorded CSV files unchanged, one file per ensemble run.

    The first row of a duplicate id is used.

    Raises:
        InputFileError: A file cannot be read or lacks `id` or `answer_value`.
        SettingsError: There is no file.

    """

    def __init__(self, files: Sequence[Path]) -> None:
        if not files:
            msg = "answer.by = 'replay' needs recorded answers; list their CSV files in replay.runs"
            raise SettingsError(msg)
        self._files = tuple(files)
        self._unreadable: list[list[str]] = [[] for _ in files]
        self._runs = [_read_run(path, problems) for path, problems in zip(files, self._unreadable, strict=True)]

    @property
    def runs(self) -> int:
        """The number of recorded runs."""
        return len(self._runs)

    def answer(self, question: Question, snippets: Sequence[Snippet], run: int = 0) -> StructuredAnswer:
        """Return the answer of run `run`; its quote is the recorded supporting material.

        `snippets` is ignored.

        Raises:
            NotRecordedError: The run contains no answer.

        """
        row = self._runs[run].get(question.id)
        if row is None:
            details = f" ({'; '.join(self._unreadable[run])})" if self._unreadable[run] else ""
            msg = f"{self._files[run]} contains no answer to {question.id!r}; the question is skipped in that run{details}"
            raise NotRecordedError(msg)
        return _answer_of_row(row)

    def stop(self) -> None:
        """Do nothing: there are no model calls."""


def _read_run(path: Path, problems: list[str]) -> dict[str, dict[str, str]]:
    row_by_id: dict[str, dict[str, str]] = {}
    for row in read_rows(path, ("id", "answer_value"), problems.append):
        row_by_id.setdefault(row["id"].strip(), row)
    return row_by_id


def _answer_of_row(row: dict[str, str]) -> StructuredAnswer:
    quote = row.get("supporting_materials", "").strip()
    return StructuredAnswer(
        answer=row.get("answer", "").strip(),
        answer_value=row["answer_value"].strip() or BLANK,
        ref_id=parse_refs(row.get("ref_id")),
        explanation=row.get("explanation", "").strip(),
        quote=None if is_blank(quote) else quote,
        ref_cell=row.get("ref_id"),
    )

"""Recorded answers, so that the runs of others flow through voting and scoring."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kohaku_lib.answering.figures import ReadImages
from kohaku_lib.answering.labels import label_paths
from kohaku_lib.digests import file_sha256
from kohaku_lib.documents import read_rows
from kohaku_lib.errors import KohakuError, SettingsError
from kohaku_lib.llm import ChatModel
from kohaku_lib.settings import Settings
from kohaku_lib.tables import Question, Snippet, StructuredAnswer
from kohaku_lib.values import BLANK, is_blank, parse_refs


def build_replay(settings: Settings, chat: ChatModel | None, read_images: ReadImages | None) -> ReplayAnswerer:
    """Return the answerer that reads `replay.runs`.

    Raises:
        InputFileError: A file cannot be read or lacks a column.
        SettingsError: There is no file.

    """
    return ReplayAnswerer(settings.replay.runs)


def recorded_content(settings: Settings) -> list[list[str]]:
    """Return the label of each recorded run, which predictions hold, and the content of its file."""
    files = settings.replay.runs
    contents = [file_sha256(path) if path.is_file() else "missing" for path in files]
    return [[label, content] for label, content in zip(label_paths(files), contents, strict=True)]


def label_recorded(settings: Settings) -> tuple[str, ...]:
    """Return the labels of the recorded runs."""
    return label_paths(settings.replay.runs)


class NotRecordedError(KohakuError):
    """A recorded run holds no answer to a question."""


class ReplayAnswerer:
    """Gives back the answers of recorded CSV files, one per ensemble run, as they stand there.

    The first row of an id counts. Raises InputFileError where a file cannot be read or lacks `id` or
    `answer_value`, and SettingsError without any file.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        if not files:
            msg = "llm.provider = 'replay' needs recorded answers; name their CSV files in replay.runs"
            raise SettingsError(msg)
        self._files = tuple(files)
        self._unread: list[list[str]] = [[] for _ in files]
        self._runs = [_recorded(path, unread) for path, unread in zip(files, self._unread, strict=True)]

    @property
    def runs(self) -> int:
        """The number of recorded runs."""
        return len(self._runs)

    def answer(self, question: Question, snippets: Sequence[Snippet], run: int = 0) -> StructuredAnswer:
        """Return the answer that run `run` gave; raises NotRecordedError where it gave none.

        The snippets are not read. What was recorded as supporting material is the quote.
        """
        row = self._runs[run].get(question.id)
        if row is None:
            why = f" ({'; '.join(self._unread[run])})" if self._unread[run] else ""
            msg = f"{self._files[run]} holds no answer to {question.id!r}; it is left out of that run{why}"
            raise NotRecordedError(msg)
        return _answer(row)

    def stop(self) -> None:
        """Do nothing: no model is asked."""


def _recorded(path: Path, unread: list[str]) -> dict[str, dict[str, str]]:
    recorded: dict[str, dict[str, str]] = {}
    for row in read_rows(path, ("id", "answer_value"), unread.append):
        recorded.setdefault(row["id"].strip(), row)
    return recorded


def _answer(row: dict[str, str]) -> StructuredAnswer:
    quote = row.get("supporting_materials", "").strip()
    return StructuredAnswer(
        answer=row.get("answer", "").strip(),
        answer_value=row["answer_value"].strip() or BLANK,
        ref_id=parse_refs(row.get("ref_id")),
        explanation=row.get("explanation", "").strip(),
        quote=None if is_blank(quote) else quote,
        ref_cell=row.get("ref_id"),
    )

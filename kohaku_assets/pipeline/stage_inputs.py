"""The inputs of a stage and the outcome of running it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from kohaku_lib.storage import LatestRecord, PreviousOutput, StageFiles, StageManifest, StagePart, StageReader
from kohaku_lib.tables import StageReport

StageOutput = tuple[pa.Table, StageReport] | Iterator[StagePart]


@dataclass(frozen=True, slots=True)
class StageOutcome:
    """The outcome of running a stage; `computed` counts rows that cost work, `reused` rows found again.

    `shown` is what the UI shows of the files that the stage wrote beside its table.
    """

    manifest: StageManifest
    computed: int
    reused: int
    seconds: float
    problems: tuple[str, ...]
    shown: Mapping[str, object] = field(default_factory=dict)


def index_version(input_key: str) -> str:
    """Return the name of the index snapshot that belongs to an input key of vector_tables.

    >>> index_version("0123456789abcdef0123456789abcdef")
    '0123456789abcdef'
    """
    return input_key[:16]


class Inputs:
    """The tables that a stage reads, loaded on access, and the key under which its output is stored.

    `previous` is the output that the stage had before.
    """

    def __init__(
        self, files: StageFiles, records: Mapping[str, LatestRecord], input_key: str, previous: PreviousOutput
    ) -> None:
        self.input_key = input_key
        self.previous = previous
        self._files, self._records = files, records

    def __getitem__(self, stage: str) -> pa.Table:
        record = self._records[stage]
        return self._files.read(stage, record.input_key)

    def open(self, stage: str, columns: Sequence[str] | None = None) -> StageReader:
        """Return a reader of a table that the stage reads, over `columns`, which holds a few rows at a time."""
        return self._files.open(stage, self._records[stage].input_key, columns)

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
    """The outcome of running a stage; `computed` counts computed rows, `reused` those taken from a cache or the store.

    `shown` is the UI metadata of the stage's companion files.
    """

    manifest: StageManifest
    computed: int
    reused: int
    seconds: float
    problems: tuple[str, ...]
    shown: Mapping[str, object] = field(default_factory=dict)


def index_version(input_key: str) -> str:
    """Return the name of the index snapshot for an input key of vector_tables.

    >>> index_version("0123456789abcdef0123456789abcdef")
    '0123456789abcdef'
    """
    return input_key[:16]


class Inputs:
    """The input tables of a stage, loaded on access, and the key under which its output is stored.

    `previous` is the stage's previous output.
    """

    def __init__(
        self, files: StageFiles, records: Mapping[str, LatestRecord], input_key: str, previous: PreviousOutput
    ) -> None:
        self.input_key = input_key
        self.previous = previous
        self._files, self._records = files, records

    @property
    def keys(self) -> dict[str, str]:
        """The input key of each input table, by stage."""
        return {name: record.input_key for name, record in self._records.items()}

    def __getitem__(self, stage: str) -> pa.Table:
        record = self._records[stage]
        return self._files.read(stage, record.input_key)

    def open(self, stage: str, columns: Sequence[str] | None = None) -> StageReader:
        """Return a streaming reader of `columns` of an input table."""
        return self._files.open(stage, self._records[stage].input_key, columns)

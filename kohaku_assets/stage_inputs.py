"""What a stage is given and what running it comes to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from kohaku_lib.storage import Donor, LatestRecord, StageFiles, StageManifest, StagePart, StageReader
from kohaku_lib.tables import StageReport

StageOutput = tuple[pa.Table, StageReport] | Iterator[StagePart]
Compute = Callable[["Inputs"], StageOutput]


@dataclass(frozen=True, slots=True)
class StageOutcome:
    """What running a stage came to; `computed` counts rows that cost work, `reused` rows found again."""

    manifest: StageManifest
    computed: int
    reused: int
    seconds: float
    problems: tuple[str, ...]


def index_version(input_key: str) -> str:
    """Return the name of the index snapshot that belongs to an input key of vector_tables.

    >>> index_version("0123456789abcdef0123456789abcdef")
    '0123456789abcdef'
    """
    return input_key[:16]


class Inputs:
    """The tables that a stage reads, loaded when they are asked for, and the key under which its output is kept.

    `donor` is the output that the stage had before.
    """

    def __init__(self, files: StageFiles, records: Mapping[str, LatestRecord], input_key: str, donor: Donor) -> None:
        self.input_key = input_key
        self.donor = donor
        self._files, self._records = files, records

    def __getitem__(self, stage: str) -> pa.Table:
        record = self._records[stage]
        return self._files.read(stage, record.input_key)

    def open(self, stage: str, columns: Sequence[str] | None = None) -> StageReader:
        """Return a reader of a table that the stage reads, over `columns`, which holds a few rows at a time."""
        return self._files.open(stage, self._records[stage].input_key, columns)

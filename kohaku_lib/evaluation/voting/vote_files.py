"""Votes of recorded runs in CSV files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from kohaku_lib.answering.labels import label_paths
from kohaku_lib.documents import read_rows
from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.voting.calibration import Calibration
from kohaku_lib.evaluation.voting.members import Rows
from kohaku_lib.evaluation.voting.vote import vote_rows
from kohaku_lib.settings import EnsembleSettings
from kohaku_lib.tables import StageReport


def vote_files(
    paths: Sequence[Path], settings: EnsembleSettings, calibration: Calibration | None = None
) -> tuple[pa.Table, StageReport]:
    """Return ENSEMBLE_VOTES over recorded runs, one CSV each, labelled by the distinct parts of their paths.

    `calibration` uses the same labels. Unreadable files are skipped and reported, like broken members.

    Raises:
        InputFileError: No run can be used.
    """
    labels = label_paths(paths)
    runs: dict[str, Rows] = {}
    unreadable: list[InputFileError] = []
    broken_rows: list[str] = []
    for label, path in zip(labels, paths, strict=True):
        try:
            runs[label] = read_rows(path, on_problem=broken_rows.append)
        except InputFileError as error:
            unreadable.append(error)
    if unreadable and not runs:
        raise unreadable[0]
    table, report = vote_rows(runs, settings, calibration)
    left_out = tuple(f"A run was excluded from the vote: {error}" for error in unreadable)
    return table, replace(report, problems=(*left_out, *broken_rows, *report.problems))

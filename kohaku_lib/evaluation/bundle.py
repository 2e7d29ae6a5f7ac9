"""A replay bundle: the answers of an experiment and everything that its scores depend on, in one file."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.csv_escaping import escape_formula
from kohaku_lib.evaluation.metrics.score_answers import score_answers
from kohaku_lib.evaluation.voting.vote import vote
from kohaku_lib.settings import EnsembleSettings
from kohaku_lib.storage import write_atomically
from kohaku_lib.tables import PREDICTIONS, QUESTIONS

RECORD, SCORES_CSV = "record.json", "scores.csv"
_TABLES = {"questions": QUESTIONS, "predictions": PREDICTIONS}
_LONGEST_REASON = 300
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest ZIP timestamp; constant, so that equal bundles are byte-identical
_MOST_MEMBER_BYTES = 100_000_000
_MOST_TABLE_BYTES = 500_000_000  # in memory; a Parquet file can repeat one text a billion times
_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}  # the others cannot be decompressed incrementally


@dataclass(frozen=True, slots=True)
class Replay:
    """A rescored bundle: its record, the scores as CSV, and whether they equal the scores in the bundle."""

    record: dict[str, Any]
    scores_csv: bytes
    is_equal: bool


def write_bundle(
    path: Path, record: Mapping[str, Any], questions: pa.Table, predictions: pa.Table, ensemble: EnsembleSettings
) -> bytes:
    """Write a bundle of `questions` (QUESTIONS) and `predictions` (PREDICTIONS) to `path`; return its scores as CSV.

    `record` is the provenance of the answers as plain JSON values. Of the documents, only the snippets quoted by the
    predictions are included.
    """
    scores = _as_csv(_vote_and_score(questions, predictions, ensemble)[1])
    facts = {**record, "ensemble": ensemble.model_dump(mode="json")}
    parts = {
        RECORD: json.dumps(facts, ensure_ascii=False, indent=1, sort_keys=True).encode(),
        "questions.parquet": _parquet_bytes(questions),
        "predictions.parquet": _parquet_bytes(predictions),
        SCORES_CSV: scores,
    }

    def fill(temporary: Path) -> None:
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in parts.items():
                archive.writestr(zipfile.ZipInfo(name, _EPOCH), content, zipfile.ZIP_DEFLATED)

    write_atomically(path, fill)
    return scores


def replay_bundle(path: Path) -> Replay:
    """Vote and score the answers of a bundle again.

    Raises:
        InputFileError: The file is not a bundle.
    """
    bundle = open_bundle(path)
    scores = _as_csv(bundle.scores)
    return Replay(bundle.record, scores, scores == bundle.scores_csv)


def check_target(path: Path) -> None:
    """Check that writing a bundle to `path` does not overwrite another file.

    Raises:
        InputFileError: The file exists and is not a bundle.
    """
    if path.is_file() and path.stat().st_size and not zipfile.is_zipfile(path):
        msg = f"{str(path)!r} exists and is not a bundle, so it is not overwritten; choose another file"
        raise InputFileError(msg)


@dataclass(frozen=True, slots=True)
class Bundle:
    """The content of a bundle, voted and scored again; `scores_csv` are the scores stored in it."""

    record: dict[str, Any]
    questions: pa.Table
    predictions: pa.Table
    votes: pa.Table
    scores: pa.Table
    scores_csv: bytes


def open_bundle(path: Path) -> Bundle:
    """Read a bundle, vote and score.

    Raises:
        InputFileError: The file is not a bundle, or too large.
    """
    try:
        return _read_bundle(path)
    except Exception as error:  # everything read and scored here comes from the file
        reason = " ".join(str(error).split())[:_LONGEST_REASON] or type(error).__name__
        msg = f"{str(path)!r} is not a readable replay bundle ({reason}); write one with 'kohaku bundle OUT.zip'"
        raise InputFileError(msg) from error


def _read_bundle(path: Path) -> Bundle:
    with zipfile.ZipFile(path) as archive:
        record = json.loads(read_member(archive, RECORD))
        tables = {name: read_table(archive, f"{name}.parquet", schema) for name, schema in _TABLES.items()}
        scores_csv = read_member(archive, SCORES_CSV)
    ensemble = EnsembleSettings.model_validate(record["ensemble"])
    votes, scores = _vote_and_score(tables["questions"], tables["predictions"], ensemble)
    return Bundle(record, tables["questions"], tables["predictions"], votes, scores, scores_csv)


def _vote_and_score(
    questions: pa.Table, predictions: pa.Table, ensemble: EnsembleSettings
) -> tuple[pa.Table, pa.Table]:
    votes, _ = vote(predictions, ensemble)
    return votes, score_answers(questions, votes, predictions)[0]


def _as_csv(table: pa.Table) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.column_names)
    writer.writerows([_csv_cell(name, value) for name, value in row.items()] for row in table.to_pylist())
    return text.getvalue().encode()


def _csv_cell(name: str, value: object) -> object:
    return escape_formula(name, value) if isinstance(value, str) else value


def _parquet_bytes(table: pa.Table) -> bytes:
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the content of a member.

    Raises:
        KeyError: There is no such member.
        ValueError: It is too large, or its compression method is not supported.
    """
    info = archive.getinfo(name)
    if info.compress_type not in _COMPRESSIONS:
        msg = f"{name} uses an unsupported compression method"
        raise ValueError(msg)
    with archive.open(info) as file:
        content = file.read(_MOST_MEMBER_BYTES + 1)  # the size in the archive's directory may be wrong
    _check_size(len(content), _MOST_MEMBER_BYTES, name)
    return content


def read_table(archive: zipfile.ZipFile, name: str, schema: pa.Schema) -> pa.Table:
    """Return the Parquet table in a member, cast to `schema`.

    Raises:
        KeyError: There is no such member.
        ValueError: The table is too large, does not fit the schema, or lacks values.
    """
    import pyarrow.parquet as pq

    with pq.ParquetFile(pa.BufferReader(read_member(archive, name))) as file:
        groups = (file.metadata.row_group(place) for place in range(file.num_row_groups))
        largest = max((group.total_byte_size for group in groups), default=0)
        _check_size(largest, _MOST_TABLE_BYTES, name)
        parts = [schema.empty_table()]
        size = 0
        # No value is longer than its unpacked row group, so no batch exceeds the limit.
        for batch in file.iter_batches(max(1, _MOST_TABLE_BYTES // max(largest, 1))):
            parts.append(pa.Table.from_batches([batch]).cast(schema))
            size += parts[-1].nbytes
            _check_size(size, _MOST_TABLE_BYTES, name)
    table = pa.concat_tables(parts)
    table.validate(full=True)
    return table


def _check_size(size: int, most: int, name: str) -> None:
    if size > most:
        msg = f"{name} is larger than {most // 1_000_000} MB"
        raise ValueError(msg)

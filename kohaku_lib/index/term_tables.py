"""The tables of a snapshot that say which terms there are and which nodes hold them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from kohaku_lib.index.posting_order import POSTING, by_term
from kohaku_lib.index.postings import Postings, Vocabulary
from kohaku_lib.index.table_rows import TableRows

if TYPE_CHECKING:
    import duckdb

BATCH_ROWS = 2**15
_TERMS = pa.schema([("term_id", pa.int32()), ("term", pa.string()), ("df", pa.int32())])
_POSTINGS = pa.schema([("term_id", pa.int32()), ("node_id", pa.string()), ("tf", pa.int32())])


def write_term_tables(
    connection: duckdb.DuckDBPyConnection,
    folder: Path,
    vocabulary: Vocabulary,
    kinds: Sequence[tuple[Postings, np.ndarray]],
    lexical: TableRows,
) -> None:
    """Write the tables lex_terms and lex_postings, with the terms numbered in their own order.

    `kinds` are postings of texts of several kinds, each with the row (texts,) in `lexical` (LEXICAL) of its texts. The
    postings of a term stand in the order of these rows. `folder` takes a file meanwhile.
    """
    terms = list(vocabulary.number_of)
    in_texts = np.sum([postings.in_texts(len(terms)) for postings, _ in kinds], axis=0)
    numbers = np.array(sorted(np.flatnonzero(in_texts).tolist(), key=terms.__getitem__), np.int64)
    id_of_number = np.full(len(terms), -1, np.int32)
    id_of_number[numbers] = np.arange(len(numbers))
    columns = [np.arange(len(numbers)), [terms[at] for at in numbers], in_texts[numbers]]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, _TERMS, strict=True)]
    connection.register("held_terms", pa.table(arrays, schema=_TERMS))
    connection.execute("CREATE TABLE lex_terms AS SELECT * FROM held_terms")
    connection.unregister("held_terms")
    node_ids = pa.concat_arrays([pa.array([], pa.string()), *lexical.select(["node_id"]).table().column(0).chunks])
    ordered = by_term(_renumbered(kinds, id_of_number), in_texts[numbers], folder)
    rows = _Rows(_rows(ordered, node_ids))
    connection.register("read_postings", pa.RecordBatchReader.from_batches(_POSTINGS, rows))
    try:
        connection.execute("CREATE TABLE lex_postings AS SELECT * FROM read_postings")
    except Exception as error:
        if rows.fault is not None:
            raise rows.fault from error
        raise
    connection.unregister("read_postings")


class _Rows:
    """Rows for DuckDB that keep what goes wrong, be it Ctrl-C: it would raise an error of its own instead."""

    def __init__(self, rows: Iterator[pa.RecordBatch]) -> None:
        self._rows = rows
        self.fault: BaseException | None = None

    def __iter__(self) -> _Rows:
        return self

    def __next__(self) -> pa.RecordBatch:
        try:
            return next(self._rows)
        except StopIteration:
            raise
        except BaseException as fault:
            self.fault = fault
            raise


def _renumbered(kinds: Sequence[tuple[Postings, np.ndarray]], id_of_number: np.ndarray) -> Iterator[np.ndarray]:
    """Yield postings by rows of nodes and ids of terms instead of the numbers of either."""
    for postings, row_of_text in kinds:
        for block in postings.blocks():
            found = np.empty(len(block), POSTING)
            found["text"], found["term"] = row_of_text[block["text"]], id_of_number[block["term"]]
            found["count"] = block["count"]
            yield found


def _rows(ordered: Iterator[np.ndarray], node_ids: pa.Array) -> Iterator[pa.RecordBatch]:
    for found in ordered:
        for low in range(0, len(found), BATCH_ROWS):
            part = found[low : low + BATCH_ROWS]
            texts, terms, counts = (np.ascontiguousarray(part[name]) for name in ("text", "term", "count"))
            yield pa.record_batch([pa.array(terms), node_ids.take(pa.array(texts)), pa.array(counts)], schema=_POSTINGS)

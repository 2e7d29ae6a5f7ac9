"""The tables of terms and postings in a snapshot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.index.bm25.index_building import Postings, TermNumbers
from kohaku_lib.index.bm25.posting_order import POSTING, by_term
from kohaku_lib.index.rows.streamed_tables import stream_table
from kohaku_lib.index.rows.table_rows import TableRows

if TYPE_CHECKING:
    import duckdb

BATCH_ROWS = 2**15
_TERMS = pa.schema([("term_id", pa.int32()), ("term", pa.string()), ("df", pa.int32())])
_POSTINGS = pa.schema([("term_id", pa.int32()), ("node_id", pa.string()), ("tf", pa.int32())])


def write_term_tables(
    connection: duckdb.DuckDBPyConnection,
    folder: Path,
    vocabulary: TermNumbers,
    kinds: Sequence[tuple[Postings, np.ndarray]],
    lexical: TableRows,
) -> None:
    """Write the tables lex_terms and lex_postings, with terms numbered in sorted order.

    `kinds` contains the postings of each kind of text with the rows (texts,) of its texts in `lexical` (LEXICAL), in whose
    order the postings of a term are written. `folder` is used for a temporary file.
    """
    in_texts = np.sum([postings.in_texts(len(vocabulary)) for postings, _ in kinds], axis=0)
    numbers, terms = _sorted_terms(vocabulary, np.flatnonzero(in_texts))
    in_texts, ids = in_texts[numbers], np.arange(len(numbers), dtype=np.int32)
    id_of_number = np.full(len(vocabulary), -1, np.int32)
    id_of_number[numbers] = ids
    found = pa.record_batch([pa.array(ids), terms, pa.array(in_texts.astype(np.int32))], schema=_TERMS)
    stream_table(connection, "lex_terms", _TERMS, [found])
    node_ids = pa.concat_arrays([pa.array([], pa.string()), *lexical.select(["node_id"]).table().column(0).chunks])
    ordered = by_term(_renumbered(kinds, id_of_number), in_texts, folder)
    stream_table(connection, "lex_postings", _POSTINGS, _posting_batches(ordered, node_ids))


def _sorted_terms(vocabulary: TermNumbers, numbers: np.ndarray) -> tuple[np.ndarray, pa.Array]:
    """Return the terms with these `numbers` in sorted order, and their numbers."""
    terms = vocabulary.terms().take(pa.array(numbers))
    order = pc.call_function("sort_indices", [terms])
    return numbers[order.to_numpy()], terms.take(order)


def _renumbered(kinds: Sequence[tuple[Postings, np.ndarray]], id_of_number: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the postings with node rows and term ids in place of text and term numbers."""
    for postings, row_of_text in kinds:
        for block in postings.blocks():
            found = np.empty(len(block), POSTING)
            found["text"], found["term"] = row_of_text[block["text"]], id_of_number[block["term"]]
            found["count"] = block["count"]
            yield found


def _posting_batches(ordered: Iterator[np.ndarray], node_ids: pa.Array) -> Iterator[pa.RecordBatch]:
    for found in ordered:
        for low in range(0, len(found), BATCH_ROWS):
            part = found[low : low + BATCH_ROWS]
            texts, terms, counts = (np.ascontiguousarray(part[name]) for name in ("text", "term", "count"))
            yield pa.record_batch([pa.array(terms), node_ids.take(pa.array(texts)), pa.array(counts)], schema=_POSTINGS)

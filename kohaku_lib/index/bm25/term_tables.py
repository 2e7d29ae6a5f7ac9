"""The tables of a snapshot that say which terms there are and which nodes hold them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.index.bm25.posting_order import POSTING, by_term
from kohaku_lib.index.bm25.postings import Postings, Vocabulary
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
    vocabulary: Vocabulary,
    kinds: Sequence[tuple[Postings, np.ndarray]],
    lexical: TableRows,
) -> None:
    """Write the tables lex_terms and lex_postings, with the terms numbered in their own order.

    `kinds` are postings of texts of several kinds, each with the row (texts,) in `lexical` (LEXICAL) of its texts. The
    postings of a term stand in the order of these rows. `folder` takes a file meanwhile.
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
    stream_table(connection, "lex_postings", _POSTINGS, _rows(ordered, node_ids))


def _sorted_terms(vocabulary: Vocabulary, numbers: np.ndarray) -> tuple[np.ndarray, pa.Array]:
    """Return the numbers of some terms in the order of the terms, and these."""
    terms = vocabulary.terms().take(pa.array(numbers))
    order = pc.call_function("sort_indices", [terms])
    return numbers[order.to_numpy()], terms.take(order)


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

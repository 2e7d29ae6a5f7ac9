"""Runs a stage over windows of documents and reuses unchanged pieces of its previous output."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kohaku_lib.digests import digest
from kohaku_lib.storage.stages.stage_parts import Piece, StagePart
from kohaku_lib.storage.stages.stage_reader import StageReader
from kohaku_lib.tables import StageReport

WINDOW_ROWS = 2**15
PARENT_ROW = "parent_row"


@dataclass(frozen=True, slots=True)
class PreviousOutput:
    """The previous output of a stage (None if there is none), and a salt: what pieces depend on besides their input."""

    reader: StageReader | None
    salt: str

    def key(self, *parts: str) -> str:
        """Return the key of the piece computed from inputs with the keys `parts`; "" if one of them has none."""
        return digest([self.salt, *parts]) if all(parts) else ""

    def place(self, key: str) -> int | None:
        """Return the index of the piece `key` in the previous output, None if it has none."""
        return self.reader.place_of.get(key) if self.reader is not None and key else None

    def piece(self, place: int) -> tuple[Piece, pa.Table]:
        """Return a piece of the previous output, with parent rows relative to its first row."""
        assert self.reader is not None
        piece, start = self.reader.pieces[place], int(self.reader.starts[place])
        return piece, shifted(self.reader.rows(start, piece.rows), -start)


def map_documents(
    compute: Callable[..., tuple[pa.Table, StageReport]],
    sources: Sequence[StageReader],
    previous: PreviousOutput,
    window_rows: int = WINDOW_ROWS,
) -> Iterator[StagePart]:
    """Yield the outputs of `compute` over the rows of `sources`, in windows of whole documents of about `window_rows` rows.

    The sources have the same pieces, one per document; the first has a row per node with its id. `compute` takes a table
    per source and returns one with a `node_id` column in the order of the nodes. Pieces with a key in `previous` are reused.
    At least one part is yielded, so that the schema is known.
    """
    bounds, keys = _common_pieces(sources), _keys(sources, previous)
    places = [previous.place(key) for key in keys]
    for low, high in _ranges(bounds[0], [place is not None for place in places], window_rows):
        if places[low] is not None:
            yield _reused(previous, [place for place in places[low:high] if place is not None])
            continue
        tables = _window(sources, bounds, low, high)
        table, report = compute(*tables)
        counts = _count_rows(table, tables[0], bounds[0][low : high + 1] - bounds[0][low])
        # Pieces with gaps get no key, so that the next run computes them again.
        piece_keys = keys[low:high] if report.incomplete is None else [""] * (high - low)
        yield StagePart(table, report, tuple(map(Piece, piece_keys, counts)))


def computed_windows(
    sources: Sequence[StageReader], previous: PreviousOutput, window_rows: int = WINDOW_ROWS
) -> Iterator[list[pa.Table]]:
    """Yield the tables that `map_documents` passes to `compute`."""
    bounds = _common_pieces(sources)
    known = [previous.place(key) is not None for key in _keys(sources, previous)]
    for low, high in _ranges(bounds[0], known, window_rows):
        if not known[low]:
            yield _window(sources, bounds, low, high)


def aligned_windows(sources: Sequence[StageReader], window_rows: int = WINDOW_ROWS) -> Iterator[list[pa.Table]]:
    """Yield one table per source for the same documents, about `window_rows` rows of the first at a time."""
    bounds = _common_pieces(sources)
    for low, high in _ranges(bounds[0], [False] * (bounds.shape[1] - 1), window_rows):
        yield _window(sources, bounds, low, high)


def shifted(table: pa.Table, by: int) -> pa.Table:
    """Return `table` with `by` added to its parent rows other than -1; unchanged if it has none.

    >>> shifted(pa.table({"parent_row": pa.array([-1, 0], pa.int32())}), 5).to_pydict()
    {'parent_row': [-1, 5]}
    """
    if by == 0 or PARENT_ROW not in table.column_names:
        return table
    at = table.column_names.index(PARENT_ROW)
    rows = table.column(at).to_numpy()
    moved = np.where(rows < 0, rows, rows + np.int32(by)).astype(np.int32)
    return table.set_column(at, table.schema.field(at), pa.array(moved))


def _keys(sources: Sequence[StageReader], previous: PreviousOutput) -> list[str]:
    """Return the key of each common piece."""
    if len({len(source.pieces) for source in sources}) > 1:
        return [""]
    return [previous.key(*(source.pieces[at].key for source in sources)) for at in range(len(sources[0].pieces))]


def _common_pieces(sources: Sequence[StageReader]) -> np.ndarray:
    """Return the first row of every piece per source, (sources, pieces + 1); a single piece if the sources disagree."""
    if len({len(source.pieces) for source in sources}) > 1:
        return np.array([[0, source.num_rows] for source in sources])
    return np.array([source.starts for source in sources])


def _ranges(starts: np.ndarray, known: Sequence[bool], window_rows: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of pieces that are all known or all unknown, of at most `window_rows` rows each if possible.

    Without pieces there is one empty range, which yields the schema.
    """
    low = 0
    for at in range(1, len(known) + 1):
        if at == len(known) or known[at] != known[low] or starts[at + 1] - starts[low] > window_rows:
            yield low, at
            low = at


def _window(sources: Sequence[StageReader], bounds: np.ndarray, low: int, high: int) -> list[pa.Table]:
    return [
        shifted(source.rows(int(starts[low]), int(starts[high] - starts[low])), -int(starts[low]))
        for source, starts in zip(sources, bounds, strict=True)
    ]


def _reused(previous: PreviousOutput, places: Sequence[int]) -> StagePart:
    found = [previous.piece(place) for place in places]
    table = pa.concat_tables([table for _, table in found])
    return StagePart(table, StageReport(0, table.num_rows), tuple(piece for piece, _ in found))


def _count_rows(output: pa.Table, nodes: pa.Table, starts: np.ndarray) -> list[int]:
    """Return how many rows of `output` belong to each range of `nodes`."""
    ids = nodes.column("node_id").combine_chunks()
    rows = pc.call_function("index_in", [output.column("node_id")], pc.SetLookupOptions(value_set=ids)).to_numpy()
    return np.diff(np.searchsorted(rows, starts)).tolist()

"""An approximate index by DuckDB's own extension vss (HNSW), where that is installed already; nothing is fetched."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from kohaku_lib.errors import SettingsError
from kohaku_lib.index.ann import graph_recall
from kohaku_lib.index.top_rows import TopRows

if TYPE_CHECKING:
    import duckdb

BLOCK_ROWS = 2**14
EXTENSION = "vss"


class VssGraph:
    """The graph over some rows of a matrix in a DuckDB file; it knows the rows by their numbers."""

    def __init__(self, path: Path) -> None:
        self._connection = _connected(path, read_only=True)

    def nearest(self, queries: np.ndarray, k: int) -> TopRows:
        """Return about the `k` nearest rows of each of `queries` (n, dim), best first, with their cosines."""
        rows = np.full((len(queries), k), -1, np.int64)
        scores = np.full((len(queries), k), -np.inf, np.float32)
        dim = queries.shape[1]
        nearest = (
            f"SELECT number, 1 - array_cosine_distance(vector, ?::FLOAT[{dim}]) FROM graph.vectors "  # noqa: S608 - a number
            f"ORDER BY array_cosine_distance(vector, ?::FLOAT[{dim}]) LIMIT {int(k)}"
        )
        with self._connection.cursor() as cursor:  # one of its own for every thread
            for place, query in enumerate(queries.tolist()):
                found = cursor.execute(nearest, [query, query]).fetchnumpy()
                numbers, cosines = found.values()
                rows[place, : len(numbers)], scores[place, : len(numbers)] = numbers, cosines
        return TopRows(rows, scores)


def write_vss(path: Path, vectors: np.ndarray, rows: np.ndarray) -> float | None:
    """Write the graph over these `rows` of `vectors` (n, dim, normalised) and return its recall, as `write_graph` does.

    Raises SettingsError where the extension is not installed for this version of DuckDB.
    """
    dim = vectors.shape[1]
    with _connected(path, read_only=False) as connection:
        connection.execute(f"CREATE TABLE vectors(number BIGINT, vector FLOAT[{dim}])")
        for start in range(0, len(rows), BLOCK_ROWS):
            numbers = rows[start : start + BLOCK_ROWS]
            flat = pa.array(np.ascontiguousarray(vectors[numbers], np.float32).ravel())
            block = pa.table({"number": numbers, "vector": pa.FixedSizeListArray.from_arrays(flat, dim)})
            connection.register("block", block)
            connection.execute("INSERT INTO vectors SELECT * FROM block")
        connection.execute("SET hnsw_enable_experimental_persistence = true")
        connection.execute("CREATE INDEX graph ON vectors USING HNSW (vector) WITH (metric = 'cosine')")
    return graph_recall(VssGraph(path), vectors, rows)


def _connected(path: Path, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    """Return a connection that knows the extension; a graph in a file can only be read by one that does."""
    import duckdb

    connection = duckdb.connect(":memory:", config={"autoinstall_known_extensions": False})
    try:
        connection.execute(f"LOAD {EXTENSION}")
    except duckdb.Error as error:
        connection.close()
        msg = (
            f"vectors.ann = 'vss' needs DuckDB's extension 'vss' for version {duckdb.__version__}, which is not "
            "installed here; run INSTALL vss in DuckDB where there is a network, or set vectors.ann = 'off'"
        )
        raise SettingsError(msg) from error
    place = "'" + str(path.resolve()).replace("'", "''") + "'"
    connection.execute(f"ATTACH {place} AS graph{' (READ_ONLY)' if read_only else ''}")
    connection.execute("USE graph")
    return connection

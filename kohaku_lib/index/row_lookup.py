"""Finds rows by id."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def rows_of(ids: pa.Array, among: pa.ChunkedArray | pa.Array) -> np.ndarray:
    """Return the row of each of `ids` in `among` (ids,) int32; -1 where it is not there, the first where it repeats.

    >>> rows_of(pa.array(["b", "x"]), pa.array(["a", "b"])).tolist()
    [1, -1]
    """
    known = among.combine_chunks() if isinstance(among, pa.ChunkedArray) else among
    found = pc.call_function("index_in", [ids], options=pc.SetLookupOptions(value_set=known))
    return pc.fill_null(found, -1).to_numpy()

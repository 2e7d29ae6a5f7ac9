"""Embedding of a stage window by window, with one progress over all its texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa

from kohaku_lib.embedding.cached import Progress
from kohaku_lib.storage import PreviousOutput, StagePart, StageReader, map_documents
from kohaku_lib.storage.stages.map_documents import WINDOW_ROWS, computed_windows
from kohaku_lib.tables import StageReport

MASK_COLUMNS = ("parent_row", "searchable", "kind")
Embed = Callable[[pa.Table, Progress], tuple[pa.Table, StageReport]]


def embed_stage(
    nodes: StageReader,
    chosen: Callable[[pa.Table], np.ndarray],
    embed: Embed,
    previous: PreviousOutput,
    progress: Progress,
    window_rows: int = WINDOW_ROWS,
) -> Iterator[StagePart]:
    """Yield the outputs of `embed` over `nodes` like `map_documents`; `progress` covers the texts of all windows.

    `chosen` returns which rows of a table with `MASK_COLUMNS` have a text to embed. Cached and duplicate texts are removed
    from the total once known.
    """
    windows = computed_windows([nodes.select(MASK_COLUMNS)], previous, window_rows)
    overall = _OverallProgress(progress, sum(int(chosen(window).sum()) for [window] in windows))

    def compute(window: pa.Table) -> tuple[pa.Table, StageReport]:
        overall.begin(int(chosen(window).sum()))
        return embed(window, overall)

    yield from map_documents(compute, [nodes], previous, window_rows)


class _OverallProgress:
    """Sums progress over windows: texts done before, texts of this window, and an upper bound of those ahead."""

    def __init__(self, progress: Progress, ahead: int) -> None:
        self._progress, self._ahead = progress, ahead
        self._before = self._done = 0

    def begin(self, texts: int) -> None:
        self._ahead -= texts
        self._before += self._done
        self._done = 0

    def __call__(self, done: int, total: int) -> None:
        self._done = done
        self._progress(self._before + done, self._before + total + self._ahead)

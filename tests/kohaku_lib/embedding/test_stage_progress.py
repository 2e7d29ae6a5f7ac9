"""Embedding a stage: the progress is that of all texts, not of one window anew."""

import pyarrow as pa
import pytest

from kohaku_lib.embedding import EMBEDDING_CACHE_SCHEMA, embed_leaves, embed_stage, embedded_leaves
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.storage import Piece, PreviousOutput, RowCache, StagePart, StageReader
from kohaku_lib.storage.stages.stage_writer import StageWriter
from kohaku_lib.tables import StageReport

SETTINGS = EmbeddingSettings(dim=8)


def written(path, parts):
    writer = StageWriter(path)
    for part in parts:
        writer.append(part)
    writer.close()
    return StageReader(path)


def document(number, texts):
    """A document of one root and a leaf per text, placed after earlier ones of the same size."""
    start = number * (len(texts) + 1)
    count = len(texts) + 1
    table = pa.table(
        {
            "node_id": [f"d{number}:{row}" for row in range(count)],
            "parent_row": pa.array([-1, *[start] * len(texts)], pa.int32()),
            "searchable": [False, *[True] * len(texts)],
            "kind": ["document", *["sentence"] * len(texts)],
            "text": ["", *texts],
        }
    )
    return StagePart(table, StageReport(count), (Piece(f"key {number} {texts}", count),))


@pytest.fixture
def embedded(tmp_path):
    """Return a function that embeds documents, a window each, and returns the output and the reported progress."""

    def run(documents, cache=None, before=None):
        nodes = written(tmp_path / "nodes.parquet", [document(number, texts) for number, texts in enumerate(documents)])
        progress = []
        parts = embed_stage(
            nodes,
            embedded_leaves,
            lambda window, progress: embed_leaves(window, SETTINGS, cache, progress),
            PreviousOutput(before, "s"),
            lambda done, total: progress.append((done, total)),
            window_rows=1,
        )
        return written(tmp_path / f"out{len(list(tmp_path.iterdir()))}.parquet", parts), progress

    return run


def test_all_windows_are_counted_together(embedded):
    _, progress = embedded([["one", "two"], ["three", "four"], ["five", "six"]])
    assert progress == [(2, 6), (4, 6), (6, 6)]


def test_texts_that_turn_out_to_be_known_or_equal_are_no_longer_to_be_done(embedded, tmp_path):
    with RowCache(tmp_path / "cache", EMBEDDING_CACHE_SCHEMA) as cache:
        embedded([["three", "four"]], cache)
        _, progress = embedded([["one", "two"], ["three", "four"], ["five", "five"]], cache)
    assert progress == [(2, 6), (3, 3)]


def test_documents_taken_from_the_output_before_are_not_counted(embedded):
    before, _ = embedded([["one", "two"], ["three", "four"]])
    _, progress = embedded([["one", "two"], ["three", "four"], ["five", "six"]], before=before)
    assert progress == [(2, 2)]

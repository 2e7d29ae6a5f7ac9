import numpy as np
import pytest
from index_material import index_tables, small_snapshot

from kohaku_lib.errors import SettingsError
from kohaku_lib.index import open_snapshot, write_snapshot
from kohaku_lib.index.vss_graph import VssGraph, write_vss
from kohaku_lib.settings import Settings, VectorsSettings


def _is_installed() -> bool:
    import duckdb

    try:
        with duckdb.connect(config={"autoinstall_known_extensions": False}) as connection:
            connection.execute("LOAD vss")
    except duckdb.Error:
        return False
    return True


INSTALLED = _is_installed()
needs_vss = pytest.mark.skipif(not INSTALLED, reason="DuckDB's extension vss is not installed for this version")


def _vectors(count: int) -> np.ndarray:
    made = np.random.default_rng(0).normal(size=(count, 16)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


@pytest.mark.skipif(INSTALLED, reason="DuckDB's extension vss is installed")
def test_without_the_extension_one_sentence_says_what_to_do_and_nothing_is_fetched(tmp_path):
    with pytest.raises(
        SettingsError, match=r"'vss' needs DuckDB's extension .* run INSTALL vss .* vectors.ann = 'off'"
    ):
        write_vss(tmp_path / "graph", _vectors(4), np.arange(4))
    assert list(tmp_path.iterdir()) == []


@needs_vss
def test_the_nearest_rows_are_found_by_their_numbers_best_first(tmp_path):
    vectors = _vectors(300)
    recall = write_vss(tmp_path / "graph", vectors, np.arange(100, 300))
    assert recall is not None
    assert recall > 0.9
    found = VssGraph(tmp_path / "graph").nearest(vectors[[150, 299]], 5)
    assert found.rows[:, 0].tolist() == [150, 299]
    assert found.rows.min() >= 100
    assert found.scores[:, 0] == pytest.approx([1, 1], abs=1e-5)
    assert (np.diff(found.scores) <= 0).all()


@needs_vss
def test_fewer_rows_than_asked_for_leave_places_empty(tmp_path):
    vectors = _vectors(3)
    assert write_vss(tmp_path / "graph", vectors, np.arange(3)) is None
    found = VssGraph(tmp_path / "graph").nearest(vectors[:1], 5)
    assert found.rows[0].tolist()[3:] == [-1, -1]
    assert np.isneginf(found.scores[0, 3:]).all()


@needs_vss
def test_a_snapshot_with_such_a_graph_finds_what_a_scan_finds(tmp_path):
    settings = Settings(vectors=VectorsSettings(ann="vss"))
    write_snapshot(tmp_path, "graphed", index_tables(), settings)
    graphed, plain = open_snapshot(tmp_path, "graphed"), small_snapshot(tmp_path)
    queries = np.asarray(plain.vectors()[:3])
    span = range(plain.sentences)
    ours, theirs = (one.search.top(queries, 2, span, rescore=4).scores for one in (graphed, plain))
    np.testing.assert_array_equal(ours, theirs)

"""Outputs in parts: written and read piecewise, hashed alike, and taken over document by document."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kohaku_lib.digests import table_digest
from kohaku_lib.storage import (
    Piece,
    PreviousOutput,
    StageFiles,
    StageManifest,
    StagePart,
    StageReader,
    aligned_windows,
    map_documents,
    merge_reports,
    windows,
)
from kohaku_lib.storage.stages.stage_writer import StageWriter
from kohaku_lib.tables import StageReport

KEYED = pa.schema([pa.field("node_id", pa.string(), nullable=False), pa.field("words", pa.list_(pa.string()))])


def write(path, *parts):
    writer = StageWriter(path)
    for part in parts:
        writer.append(part)
    writer.close()
    return StageReader(path)


def document(name, parents, key=None):
    """Return the part of one document whose nodes have these parents, counted from its own first row."""
    ids = [f"{name}:{row}" for row in range(len(parents))]
    table = pa.table({"node_id": ids, "parent_row": pa.array(parents, pa.int32())})
    return StagePart(table, StageReport(len(ids)), (Piece(key or f"key of {name}", len(ids)),))


def placed(*documents):
    """Return parts with parent rows counted from the first row of all."""
    start, found = 0, []
    for part in documents:
        rows = [row if row < 0 else row + start for row in part.table["parent_row"].to_pylist()]
        table = part.table.set_column(1, "parent_row", pa.array(rows, pa.int32()))
        found.append(StagePart(table, part.report, part.pieces))
        start += table.num_rows
    return found


def leaves(nodes):
    """Return the words of every node that has a parent: the id of that parent within what was given."""
    ids, parents = nodes["node_id"].to_pylist(), nodes["parent_row"].to_pylist()
    rows = [{"node_id": own, "words": [ids[row]]} for own, row in zip(ids, parents, strict=True) if row >= 0]
    return pa.Table.from_pylist(rows, schema=KEYED), StageReport(len(rows))


@pytest.mark.parametrize(("columns", "group_rows"), [(["a", "b"], 1), (["b"], 2), (["b", "a"], 9)])
def test_the_head_is_the_first_rows_however_they_are_grouped(tmp_path, columns, group_rows):
    table = pa.table({"a": range(5), "b": list("vwxyz")}).replace_schema_metadata({"told": "something"})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=group_rows)
    reader = StageReader(tmp_path / "t.parquet", columns)
    for count in (0, 1, 3, 5, 8):
        assert reader.head(count) == reader.rows(0, count) == table.select(columns).slice(0, count)
        assert reader.head(count).schema.metadata is None


def test_the_head_of_no_rows_has_their_schema(tmp_path):
    pq.write_table(KEYED.empty_table(), tmp_path / "t.parquet")
    assert StageReader(tmp_path / "t.parquet").head(5) == StageReader(tmp_path / "t.parquet").table()


def test_parts_come_back_as_one_table_with_their_pieces(tmp_path):
    reader = write(tmp_path / "t.parquet", document("a", [-1, 0]), document("b", [-1]))
    assert reader.table()["node_id"].to_pylist() == ["a:0", "a:1", "b:0"]
    assert [(piece.key, piece.rows) for piece in reader.pieces] == [("key of a", 2), ("key of b", 1)]
    assert reader.starts.tolist() == [0, 2, 3]
    assert reader.place_of == {"key of a": 0, "key of b": 1}
    assert reader.rows(1, 5)["node_id"].to_pylist() == ["a:1", "b:0"]
    assert reader.select(["node_id"]).rows(0, 1).column_names == ["node_id"]


def test_a_file_without_named_pieces_is_one_piece_without_a_key(tmp_path):
    pq.write_table(pa.table({"node_id": ["a", "b"]}), tmp_path / "t.parquet")
    reader = StageReader(tmp_path / "t.parquet")
    assert reader.pieces == (Piece("", 2),)
    assert reader.place_of == {}


def test_pieces_that_do_not_cover_all_rows_are_not_kept(tmp_path):
    loose = StagePart(pa.table({"a": [1, 2]}), StageReport(2))
    assert write(tmp_path / "t.parquet", loose).pieces == (Piece("", 2),)


def test_large_parts_are_cut_into_row_groups_that_are_read_alone(tmp_path):
    many = StagePart(pa.table({"a": np.arange(40_000)}), StageReport(40_000))
    reader = write(tmp_path / "t.parquet", many)
    assert pq.ParquetFile(tmp_path / "t.parquet").num_row_groups == 3
    assert reader.rows(16_383, 3)["a"].to_pylist() == [16_383, 16_384, 16_385]
    assert [batch.num_rows for batch in reader.batches(25_000)] == [25_000, 15_000]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.none() | st.lists(st.none() | st.text(max_size=3), max_size=3), max_size=11), min_size=1))
def test_the_digest_of_a_file_is_that_of_the_table_however_it_was_cut(parts):
    tables = [pa.table({"words": pa.array(part, pa.list_(pa.string()))}) for part in parts]
    with tempfile.TemporaryDirectory() as folder:
        writer = StageWriter(Path(folder, "t.parquet"), hashed=True)
        for table in tables:
            writer.append(StagePart(table, StageReport(0)))
        writer.close()
        written = StageReader(writer.path).table()
    assert writer.content_hash == table_digest(pa.concat_tables(tables)) == table_digest(written)


@pytest.mark.parametrize("kind", [pa.bool_(), pa.int32(), pa.binary(), pa.list_(pa.float32(), 2)])
def test_the_digest_carries_bits_over_the_ends_of_chunks(kind):
    value = {"bool": True, "int32": 7, "binary": b"x"}.get(str(kind), [1.0, 2.0])
    whole = pa.array([value, None, value] * 7, kind)
    parts = pa.chunked_array([whole[:5], whole[5:6], whole[6:]])
    assert table_digest(pa.table({"a": parts})) == table_digest(pa.table({"a": whole}))


def test_windows_run_over_documents_and_see_parents_from_their_own_first_row(tmp_path):
    nodes = write(
        tmp_path / "n.parquet", *placed(document("a", [-1, 0]), document("b", [-1, 0, 1]), document("c", [-1]))
    )
    parts = list(map_documents(leaves, [nodes], PreviousOutput(None, "s"), window_rows=4))
    assert [part.report.rows_computed for part in parts] == [1, 2]
    words = [row["words"] for part in parts for row in part.table.to_pylist()]
    assert words == [["a:0"], ["b:0"], ["b:1"]]
    assert [piece.rows for part in parts for piece in part.pieces] == [1, 2, 0]


def test_only_documents_that_changed_are_computed_and_the_result_is_that_of_all(tmp_path):
    old = write(
        tmp_path / "old.parquet", *placed(document("a", [-1, 0]), document("b", [-1, 0]), document("c", [-1, 0]))
    )
    before = write(tmp_path / "before.parquet", *map_documents(leaves, [old], PreviousOutput(None, "s")))
    changed = placed(document("a", [-1, 0]), document("b", [-1, 0, 0], "new key"), document("c", [-1, 0]))
    nodes = write(tmp_path / "new.parquet", *changed)
    parts = list(map_documents(leaves, [nodes], PreviousOutput(before, "s")))
    assert merge_reports(part.report for part in parts) == StageReport(2, 2)
    after = write(tmp_path / "after.parquet", *parts)
    anew = write(tmp_path / "all.parquet", *map_documents(leaves, [nodes], PreviousOutput(None, "s")))
    assert after.table().equals(anew.table())
    other_salt = list(map_documents(leaves, [nodes], PreviousOutput(before, "other settings")))
    assert merge_reports(part.report for part in other_salt).rows_reused == 0


def test_a_gap_in_any_part_is_a_gap_of_the_whole_and_the_first_one_is_told():
    whole, first, second = StageReport(1), StageReport(1, incomplete="no server"), StageReport(1, incomplete="no key")
    assert merge_reports([whole, first, whole]).incomplete == "no server"
    assert merge_reports([first, second]).incomplete == "no server"
    assert merge_reports([whole, second]).incomplete == "no key"
    assert merge_reports([whole, whole]).incomplete is None


def test_documents_that_moved_are_taken_over_with_their_parents_counted_anew(tmp_path):
    before = write(tmp_path / "old.parquet", *placed(document("a", [-1, 0]), document("b", [-1, 0])))
    piece, table = PreviousOutput(before, "s").piece(1)
    assert piece.key == "key of b"
    assert table["parent_row"].to_pylist() == [-1, 0]


def test_sources_whose_pieces_do_not_agree_are_one_window(tmp_path):
    nodes = write(tmp_path / "n.parquet", *placed(document("a", [-1, 0]), document("b", [-1])))
    pq.write_table(pa.table({"node_id": ["a:0"]}), tmp_path / "v.parquet")
    [[own, vectors]] = aligned_windows([nodes, StageReader(tmp_path / "v.parquet")], window_rows=1)
    assert (own.num_rows, vectors.num_rows) == (3, 1)


def test_without_rows_one_empty_part_tells_the_schema(tmp_path):
    empty = pa.table({"node_id": pa.array([], pa.string()), "parent_row": pa.array([], pa.int32())})
    nodes = write(tmp_path / "n.parquet", StagePart(empty, StageReport(0)))
    [part] = map_documents(leaves, [nodes], PreviousOutput(None, "s"))
    assert part.table.schema == KEYED


def test_a_part_that_fails_leaves_no_stage_file(tmp_path):
    files = StageFiles(tmp_path)

    def broken():
        yield document("a", [-1])
        msg = "killed"
        raise RuntimeError(msg)

    def describe(written):
        computed = written.report.rows_computed
        return StageManifest("lexical_index", "k", written.content_hash, written.rows, computed, "", 0.0)

    with pytest.raises(RuntimeError, match="killed"):
        files.write_parts("lexical_index", "k", broken(), describe, hashed=True)
    assert files.find("lexical_index", "k") is None
    assert list(tmp_path.rglob("*.*")) == []
    part = document("a", [-1])
    manifest = files.write_parts("lexical_index", "k", [part], describe, hashed=True)
    assert manifest.content_hash == table_digest(part.table)
    assert files.find("lexical_index", "k") == manifest
    assert manifest.rows == manifest.rows_computed == 1


def test_windows_are_cut_by_rows_and_by_weight():
    table = pa.table({"size": [6, 6, 1, 1, 1, 30]})
    assert [part.num_rows for part in windows(table, 2)] == [2, 2, 2]
    assert [part["size"].to_pylist() for part in windows(table, 3, "size", 8)] == [[6], [6, 1, 1], [1], [30]]
    assert [part.num_rows for part in windows(table.slice(0, 0), 3)] == [0]

"""The row cache: durable parts, no lost rows, no torn reads, any key order."""

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from kohaku_lib.storage import RowCache

SCHEMA = pa.schema([("value", pa.int64())])


def rows(cache, keys):
    return {row["key"]: row["value"] for row in cache.get_many(keys).to_pylist()}


def test_rows_are_there_before_and_after_the_flush_and_in_a_later_run(tmp_path):
    cache = RowCache(tmp_path, SCHEMA)
    cache.add("a", {"value": 1})
    assert rows(cache, ["a", "b"]) == {"a": 1}
    cache.flush()
    cache.add("b", {"value": 2})
    assert rows(cache, ["b", "a"]) == {"a": 1, "b": 2}
    assert rows(RowCache(tmp_path, SCHEMA), ["a", "b"]) == {"a": 1}


def test_a_full_batch_is_flushed_at_once(tmp_path):
    cache = RowCache(tmp_path, SCHEMA, flush_rows=2)
    cache.add("a", {"value": 1})
    assert len(RowCache(tmp_path, SCHEMA)) == 0
    cache.add("b", {"value": 2})
    assert len(RowCache(tmp_path, SCHEMA)) == 2


def test_a_torn_part_is_left_out_and_counted(tmp_path):
    cache = RowCache(tmp_path, SCHEMA)
    cache.add_table(pa.table({"key": ["a"], "value": [1]}))
    (tmp_path / "part-1-torn.parquet").write_bytes(b"PAR1")
    again = RowCache(tmp_path, SCHEMA)
    assert again.unreadable_parts == 1
    assert rows(again, ["a"]) == {"a": 1}


def test_a_part_whose_rows_cannot_be_read_is_forgotten_and_they_can_be_added_again(tmp_path):
    texts = pa.schema([("text", pa.string())])
    RowCache(tmp_path, texts).add_table(pa.table({"key": ["a"], "text": ["no number"]}))
    cache = RowCache(tmp_path, pa.schema([("text", pa.int64())]))  # another version of the rows
    assert "a" in cache
    assert cache.get_many(["a"]).num_rows == 0
    assert cache.unreadable_parts == 1
    assert "a" not in cache
    cache.add("a", {"text": 7})
    assert cache.get_many(["a"])["text"].to_pylist() == [7]


def test_a_part_without_keys_is_left_out(tmp_path):
    pq.write_table(pa.table({"value": [1]}), tmp_path / "part-1.parquet")
    cache = RowCache(tmp_path, SCHEMA)
    assert (len(cache), cache.unreadable_parts) == (0, 1)


def test_two_writers_add_to_one_folder(tmp_path):
    first, second = RowCache(tmp_path, SCHEMA), RowCache(tmp_path, SCHEMA)
    first.add_table(pa.table({"key": ["a"], "value": [1]}))
    second.add_table(pa.table({"key": ["b", "a"], "value": [2, 1]}))
    assert rows(RowCache(tmp_path, SCHEMA), ["a", "b"]) == {"a": 1, "b": 2}


def test_a_repeated_key_is_returned_once(tmp_path):
    cache = RowCache(tmp_path, SCHEMA)
    cache.add_table(pa.table({"key": ["a", "b"], "value": [1, 2]}))
    assert cache.get_many(["b", "a", "b"]).num_rows == 2


@settings(max_examples=20, deadline=None)
@given(st.dictionaries(st.text(max_size=4), st.integers(0, 9), max_size=12), st.integers(1, 5))
def test_what_goes_in_comes_out(content, flush_rows):
    with tempfile.TemporaryDirectory() as folder:
        with RowCache(Path(folder), SCHEMA, flush_rows=flush_rows) as cache:
            for key, value in content.items():
                cache.add(key, {"value": value})
        assert rows(RowCache(Path(folder), SCHEMA), content) == content


def test_looking_again_finds_what_another_wrote_and_forgets_what_went(tmp_path):
    schema = pa.schema([("length", pa.int64())])
    first = RowCache(tmp_path, schema)
    with RowCache(tmp_path, schema) as other:
        other.add("kohaku", {"length": 6})
    assert "kohaku" not in first
    first.refresh()
    assert "kohaku" in first
    for part in tmp_path.glob("part-*"):
        part.unlink()
    first.refresh()
    assert "kohaku" not in first

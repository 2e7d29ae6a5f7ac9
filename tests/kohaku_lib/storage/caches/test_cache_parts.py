"""Compacting row caches: fewer parts, no row lost, whoever else is at work."""

import re
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from kohaku_lib.storage import HashMemo, RowCache, compact
from kohaku_lib.storage.caches.cache_parts import part_damage, rows_of_part, write_part

SCHEMA = pa.schema([("value", pa.int64())])


def fill(folder, count, start=0):
    for number in range(start, start + count):
        RowCache(folder, SCHEMA).add_table(pa.table({"key": [f"k{number}", "common"], "value": [number, 7]}))


def values(cache, keys):
    return {row["key"]: row["value"] for row in cache.get_many(keys).to_pylist()}


def test_many_small_parts_become_one_that_holds_every_key_once(tmp_path):
    fill(tmp_path, 5)
    found = compact(tmp_path)
    assert (found.parts_before, found.parts_after) == (5, 1)
    assert found.bytes_after < found.bytes_before
    cache = RowCache(tmp_path, SCHEMA)
    assert len(cache) == 6
    assert values(cache, ["k0", "k4", "common"]) == {"k0": 0, "k4": 4, "common": 7}


def test_full_parts_and_a_single_small_one_are_left_alone(tmp_path):
    fill(tmp_path, 1)
    [part] = tmp_path.glob("*.parquet")
    assert compact(tmp_path).parts_after == 1
    fill(tmp_path, 1, start=1)
    compact(tmp_path, full_bytes=2)
    assert part.exists()
    assert len(list(tmp_path.glob("*.parquet"))) == 2


def test_a_reader_that_was_open_finds_its_rows_in_the_new_parts(tmp_path):
    fill(tmp_path, 3)
    reader = RowCache(tmp_path, SCHEMA)
    compact(tmp_path)
    assert values(reader, ["k0", "k1", "k2", "x"]) == {"k0": 0, "k1": 1, "k2": 2}
    assert reader.unreadable_parts == 0


def test_a_kill_between_the_new_part_and_the_removal_of_the_old_leaves_rows_double_and_none_lost(tmp_path):
    fill(tmp_path, 3)
    contents = {part.name: part.read_bytes() for part in tmp_path.glob("*.parquet")}
    compact(tmp_path)
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    assert values(RowCache(tmp_path, SCHEMA), ["k0", "k2"]) == {"k0": 0, "k2": 2}
    assert compact(tmp_path).parts_after == 1
    assert len(RowCache(tmp_path, SCHEMA)) == 4


def test_parts_that_cannot_be_read_and_parts_of_other_columns_stay(tmp_path):
    fill(tmp_path, 2)
    (tmp_path / "part-0-torn.parquet").write_bytes(b"PAR1")
    RowCache(tmp_path, pa.schema([("text", pa.string())])).add_table(pa.table({"key": ["t"], "text": ["x"]}))
    assert compact(tmp_path).parts_after == 3
    assert (tmp_path / "part-0-torn.parquet").exists()


def test_rows_stay_where_a_writer_adds_parts_meanwhile():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        fill(path, 3)
        writer = RowCache(path, SCHEMA)
        compact(path)
        writer.add("late", {"value": 9})
        writer.flush()
        assert values(RowCache(path, SCHEMA), ["k1", "late"]) == {"k1": 1, "late": 9}
        assert values(writer, ["k1", "late"]) == {"k1": 1, "late": 9}


def test_a_part_of_another_cache_is_left_out_and_never_merged(tmp_path):
    own, other = tmp_path / "own", tmp_path / "other"
    fill(own, 2)
    RowCache(other, SCHEMA).add_table(pa.table({"key": ["k0", "common"], "value": [99, 99]}))
    [wrong], part = other.glob("*.parquet"), min(own.glob("*.parquet"))
    part.write_bytes(wrong.read_bytes())
    cache = RowCache(own, SCHEMA)
    assert cache.unreadable_parts == 1
    assert values(cache, ["k0", "k1", "common"]) == {"k1": 1, "common": 7}
    assert compact(own).parts_after == 2


def part_of(folder, count):
    keys = [f"k{number}" for number in range(count)]
    return write_part(folder, pa.table({"key": keys, "value": list(range(count))}))


@pytest.mark.parametrize("rows", [[0], [5], [0, 1, 2], [2047, 2048, 4999], [0, 4999]])
def test_rows_are_read_from_the_row_groups_that_contain_them(tmp_path, rows):
    part = part_of(tmp_path, 5000)
    schema = pa.schema([("value", pa.int64()), ("key", pa.string())])
    found = rows_of_part(part, schema, np.array(rows))
    assert found.column_names == ["value", "key"]
    assert found["value"].to_pylist() == rows


def test_a_part_with_another_column_cannot_be_read_as_ours(tmp_path):
    part = part_of(tmp_path, 3)
    with pytest.raises((KeyError, pa.ArrowInvalid)):
        rows_of_part(part, pa.schema([("key", pa.string()), ("vector", pa.float32())]), np.array([0]))


def test_a_part_is_named_by_time_and_content_so_that_damage_shows(tmp_path):
    part = part_of(tmp_path, 3)
    hashes = HashMemo(tmp_path / "hashes.json")
    assert re.fullmatch(r"part-\d{20}-[0-9a-f]{16}\.parquet", part.name)
    assert part_damage(part, hashes) is None
    part.write_bytes(part.read_bytes()[:-1])
    assert part_damage(part, hashes) == "has changed since it was written"
    part.unlink()
    assert part_damage(part, hashes) is None


def test_a_part_without_a_hash_in_its_name_counts_as_sound(tmp_path):
    part = part_of(tmp_path, 3).rename(tmp_path / "part-old.parquet")
    assert part_damage(part, HashMemo(tmp_path / "hashes.json")) is None


def test_no_temporary_file_is_left_beside_a_part(tmp_path):
    part = part_of(tmp_path, 3)
    assert list(tmp_path.iterdir()) == [part]

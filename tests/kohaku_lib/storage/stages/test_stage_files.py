"""Stage files: whole or not there, found by input key, and never removed while they are the latest."""

import os
from dataclasses import replace

import pyarrow as pa
import pytest

from kohaku_lib.digests import file_sha256
from kohaku_lib.errors import StoreError
from kohaku_lib.storage import LatestRecord, StageFiles, StageManifest

TABLE = pa.table({"a": [1, 2]})


def manifest(key, stage="tree_nodes"):
    return StageManifest(stage, key, "h", 2, 2, "2026-01-01T00:00:00+00:00", 0.5, ("one problem",), {"score": 0.5})


def record(key, stage="tree_nodes"):
    return LatestRecord(stage, "v", key, "h", "1", {"tree.id_base": 1}, {"documents": "v0"})


def test_what_is_written_is_found_and_read(tmp_path):
    files = StageFiles(tmp_path)
    files.write(manifest("k1"), TABLE)
    found, written = files.find("tree_nodes", "k1"), tmp_path / "tree_nodes" / "k1.parquet"
    assert found == replace(manifest("k1"), bytes=written.stat().st_size, sha256=file_sha256(written))
    assert files.read("tree_nodes", "k1").equals(TABLE)
    assert files.find("tree_nodes", "k2") is None


def test_a_kill_between_table_and_manifest_leaves_no_stage_file(tmp_path):
    files = StageFiles(tmp_path)
    files.write(manifest("k1"), TABLE)
    (tmp_path / "tree_nodes" / "k1.json").unlink()
    assert files.find("tree_nodes", "k1") is None


def test_a_table_that_is_written_anew_is_not_told_of_by_the_manifest_before(tmp_path):
    files = StageFiles(tmp_path)
    files.write(manifest("k1"), TABLE)
    unwritable = manifest("k1")
    unwritable.metrics["not a number"] = object()
    with pytest.raises(TypeError, match="not JSON serializable"):
        files.write(unwritable, TABLE.slice(0, 1))
    assert files.read("tree_nodes", "k1").num_rows == 1
    assert files.find("tree_nodes", "k1") is None


def test_a_torn_manifest_counts_as_none(tmp_path):
    files = StageFiles(tmp_path)
    files.write(manifest("k1"), TABLE)
    (tmp_path / "tree_nodes" / "k1.json").write_text('{"stage": "tr')
    assert files.find("tree_nodes", "k1") is None


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[]", b"3", b'{"stage": "tree_nodes"}', b""])
def test_records_and_manifests_that_are_damaged_or_of_another_version_count_as_none(tmp_path, content):
    files = StageFiles(tmp_path)
    files.write(manifest("k1"), TABLE)
    files.set_latest(record("k1"))
    (tmp_path / "tree_nodes" / "k1.json").write_bytes(content)
    (tmp_path / "tree_nodes" / "latest.json").write_bytes(content)
    assert files.find("tree_nodes", "k1") is None
    assert files.latest("tree_nodes") is None


def test_the_latest_record_round_trips_and_points_to_its_table(tmp_path):
    files = StageFiles(tmp_path)
    assert files.latest("tree_nodes") is None
    files.write(manifest("k1"), TABLE)
    files.set_latest(record("k1"))
    assert files.latest("tree_nodes") == record("k1")
    assert files.latest_table("tree_nodes").equals(TABLE)
    assert files.is_intact(record("k1"))
    assert not files.is_intact(record("k2"))


def test_reading_what_was_never_built_names_the_command(tmp_path):
    with pytest.raises(StoreError, match="kohaku refresh tree_nodes"):
        StageFiles(tmp_path).latest_table("tree_nodes")


def test_a_damaged_table_is_told_in_one_sentence(tmp_path):
    files = StageFiles(tmp_path)
    files.write(manifest("k1"), TABLE)
    (tmp_path / "tree_nodes" / "k1.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(StoreError, match="kohaku doctor"):
        files.read("tree_nodes", "k1")


def flipped(content):
    return content[:9] + bytes([content[9] ^ 1]) + content[10:]


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (lambda content: b"", "has 0 bytes instead of {size}"),
        (lambda content: content[:100], "has 100 bytes instead of {size}"),
        (flipped, "has changed since it was written"),
    ],
)
def test_a_stage_file_that_was_changed_counts_as_none_and_the_record_tells_why(tmp_path, change, wrong):
    files = StageFiles(tmp_path)
    files.write(manifest("k1"), TABLE)
    path = tmp_path / "tree_nodes" / "k1.parquet"
    stamp = path.stat()
    path.write_bytes(change(path.read_bytes()))
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    for seen_by in (files, StageFiles(tmp_path)):
        assert seen_by.find("tree_nodes", "k1") is None
        assert seen_by.damage(record("k1")) == f"damaged: tree_nodes/k1.parquet {wrong.format(size=stamp.st_size)}"


def test_a_flipped_digit_in_a_manifest_or_a_record_is_noticed(tmp_path):
    files = StageFiles(tmp_path)
    files.write(manifest("k1"), TABLE)
    files.set_latest(record("k1"))
    for name in ("k1.json", "latest.json"):
        path = tmp_path / "tree_nodes" / name
        path.write_text(path.read_text().replace('"k1"', '"k2"'))
    assert files.find("tree_nodes", "k1") is None
    assert files.latest("tree_nodes") is None
    assert "manifest" in files.damage(record("k1"))


def test_unused_files_are_the_older_ones_and_never_the_latest(tmp_path):
    files = StageFiles(tmp_path)
    for age, key in enumerate(["old", "middle", "new"]):
        files.write(manifest(key), TABLE)
        os.utime(tmp_path / "tree_nodes" / f"{key}.parquet", ns=(age * 10**9, age * 10**9))
    files.set_latest(record("old"))
    assert sorted(path.name for path in files.unused(1)) == ["middle.json", "middle.parquet"]
    assert list(files.unused(1, {("tree_nodes", "middle")})) == []
    assert len(list(files.unused(1, {("documents", "middle")}))) == 2

"""A small key-value cache in a JSON file."""

import pytest

from kohaku_lib.storage import JsonMemo, read_sealed


def test_values_are_there_in_a_later_process_once_saved(tmp_path):
    path = tmp_path / "memo.json"
    memo = JsonMemo(path)
    memo.set("a", [1, "x"])
    assert JsonMemo(path).get("a") is None
    memo.save()
    assert JsonMemo(path).get("a") == [1, "x"]


def test_an_unchanged_memo_is_not_written(tmp_path):
    path = tmp_path / "memo.json"
    JsonMemo(path).save()
    assert not path.exists()
    memo = JsonMemo(path)
    memo.set("a", 1)
    memo.save()
    path.unlink()
    memo.save()
    assert not path.exists()


def test_values_in_memory_need_no_file():
    memo = JsonMemo(None)
    memo.set("a", 1)
    memo.save()
    assert (memo.get("a"), memo.get("b")) == (1, None)


def test_unwanted_names_are_dropped_for_good(tmp_path):
    path = tmp_path / "memo.json"
    memo = JsonMemo(path)
    memo.set("keep", 1)
    memo.set("drop", 2)
    memo.save()
    memo.keep_only(lambda name: True)
    assert (memo.is_changed, memo.get("drop")) == (False, 2)
    memo.keep_only(lambda name: name == "keep")
    assert (memo.is_changed, memo.get("drop")) == (True, None)
    memo.save()
    assert read_sealed(path) == {"keep": 1}


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"a": 1, "seal": "0"}'])
def test_a_damaged_file_counts_as_empty(tmp_path, content):
    path = tmp_path / "memo.json"
    path.write_bytes(content)
    assert JsonMemo(path).get("a") is None


def test_a_write_error_is_ignored(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    memo = JsonMemo(tmp_path / "file" / "memo.json")
    memo.set("a", 1)
    memo.save()
    assert memo.get("a") == 1

"""Arrays in .npy files: the same as NumPy reads, by any number of threads at once, and never more or less than written."""

import gc
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.errors import StoreError
from kohaku_lib.storage.matrix_files import BLOCK_ROWS, map_matrix, scatter_matrix, write_matrix

ARRAYS = {
    "small": np.arange(6, dtype=np.float32).reshape(2, 3),
    "large": np.arange(4000, dtype=np.float32).reshape(2, 2000),
    "empty": np.empty((0, 5), np.float32),
    "list": np.arange(3, dtype=np.int64),
    "names": np.array(["de", "en"]),
    "bytes": np.arange(5000, dtype=np.int8),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_comes_back_as_numpy_wrote_it(tmp_path, name):
    np.save(tmp_path / "a.npy", ARRAYS[name])
    found = map_matrix(tmp_path / "a.npy")
    assert (found.dtype, found.shape) == (ARRAYS[name].dtype, ARRAYS[name].shape)
    assert np.array_equal(found, ARRAYS[name])


def test_threads_that_open_files_at_once_all_get_them(tmp_path):
    # NumPy's own reader fails 15 times in 3,200 here: its parser of heads counts its depth for all threads together.
    write_matrix(tmp_path / "a.npy", (10, 300), np.float32, lambda low, high: np.ones((high - low, 300), np.float32))
    errors: list[Exception] = []

    def deep(depth):
        if depth:
            return deep(depth - 1)
        try:
            assert map_matrix(tmp_path / "a.npy").sum() == 3000
        except Exception as error:
            errors.append(error)
        return None

    def switch(phase, info):
        time.sleep(0)

    before = gc.get_threshold()
    gc.callbacks.append(switch)
    gc.set_threshold(20)
    try:
        threads = [
            threading.Thread(target=lambda at=at: [deep((7 * at + turn) % 40) for turn in range(200)])
            for at in range(16)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(switch)
    assert errors == []


@pytest.mark.parametrize("change", [lambda c: b"", lambda c: c[:-1], lambda c: c + b"x", lambda c: b"\x92" + c[1:]])
def test_a_file_of_another_size_or_kind_is_one_sentence_with_the_remedy(tmp_path, change):
    np.save(tmp_path / "a.npy", ARRAYS["large"])
    (tmp_path / "a.npy").write_bytes(change((tmp_path / "a.npy").read_bytes()))
    with pytest.raises(StoreError, match=r"cannot be read .*; run 'kohaku doctor'"):
        map_matrix(tmp_path / "a.npy")


def test_no_code_and_no_object_is_read_from_a_file(tmp_path):
    np.save(tmp_path / "a.npy", np.array([{"a": 1}]), allow_pickle=True)
    with pytest.raises(StoreError, match=r"not a \.npy file"):
        map_matrix(tmp_path / "a.npy")


@given(st.integers(0, 12), st.integers(1, 5), st.randoms(use_true_random=False))
def test_rows_scattered_in_any_blocks_are_in_their_places_and_all_others_are_zero(count, width, random):
    chosen = random.sample(range(count), random.randint(0, count))
    values = np.arange(len(chosen) * width, dtype=np.float32).reshape(len(chosen), width) + 1
    cut = random.randint(0, len(chosen))
    blocks = [(np.array(chosen[:cut], dtype=np.int64), values[:cut]), (np.array(chosen[cut:], int), values[cut:])]
    expected = np.zeros((count, width), np.float32)
    expected[chosen] = values
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.npy")
        scatter_matrix(path, (count, width), blocks)
        assert np.array_equal(np.load(path), expected)
        assert np.array_equal(map_matrix(path), expected)


def test_a_matrix_is_written_block_by_block(tmp_path):
    blocks = []

    def rows(low, high):
        blocks.append((low, high))
        return np.arange(low, high, dtype=np.int32)[:, None]

    write_matrix(tmp_path / "a.npy", (BLOCK_ROWS + 2, 1), np.int32, rows)
    assert blocks == [(0, BLOCK_ROWS), (BLOCK_ROWS, BLOCK_ROWS + 2)]
    assert np.array_equal(map_matrix(tmp_path / "a.npy")[:, 0], np.arange(BLOCK_ROWS + 2))


def test_a_matrix_without_rows_keeps_its_width(tmp_path):
    write_matrix(tmp_path / "a.npy", (0, 7), np.float32, lambda low, high: np.empty((high - low, 7), np.float32))
    assert map_matrix(tmp_path / "a.npy").shape == (0, 7)


def test_writes_to_a_mapped_matrix_never_reach_the_file(tmp_path):
    np.save(tmp_path / "a.npy", ARRAYS["large"])
    map_matrix(tmp_path / "a.npy")[:] = 0
    assert np.array_equal(np.load(tmp_path / "a.npy"), ARRAYS["large"])


def test_a_matrix_in_column_order_is_no_file_of_ours(tmp_path):
    np.save(tmp_path / "a.npy", np.asfortranarray(ARRAYS["large"]))
    with pytest.raises(StoreError, match=r"not a \.npy file"):
        map_matrix(tmp_path / "a.npy")

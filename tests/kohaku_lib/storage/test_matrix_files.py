"""Arrays in .npy files: the same as NumPy reads, by any number of threads at once, and never more or less than written."""

import gc
import threading
import time

import numpy as np
import pytest

from kohaku_lib.errors import StoreError
from kohaku_lib.storage.matrix_files import map_matrix, write_matrix

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

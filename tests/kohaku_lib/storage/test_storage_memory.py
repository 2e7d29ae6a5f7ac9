"""What was freed goes back to the system, be it Arrow's or the C library's."""

import ctypes
import re
from pathlib import Path

import pytest

from kohaku_lib.storage import give_back_memory

BLOCK, BLOCKS = 2**16, 2**9  # too small to be mapped one by one, 32 MiB together


def private_mib():
    return int(re.findall(r"RssAnon:\s+(\d+) kB", Path("/proc/self/status").read_text())[0]) / 1024


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="only glibc keeps freed memory this way")
def test_memory_that_lies_free_below_some_that_is_used_is_given_back():
    library = ctypes.CDLL(None)
    library.malloc.restype = ctypes.c_void_p
    blocks = [library.malloc(BLOCK) for _ in range(BLOCKS)]
    for block in blocks:
        ctypes.memset(block, 1, BLOCK)
    full = private_mib()
    for block in blocks[:-1]:
        library.free(ctypes.c_void_p(block))
    give_back_memory()
    given = full - private_mib()
    library.free(ctypes.c_void_p(blocks[-1]))
    assert given > BLOCK * BLOCKS / 2**20 * 0.8

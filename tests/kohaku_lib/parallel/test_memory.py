"""What was freed goes back to the system, be it Arrow's or the C library's."""

import ctypes
import re
from pathlib import Path

import pytest

from kohaku_lib.parallel import give_back_memory, machine_memory

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


def machine(tmp_path, groups, limits):
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text(groups)
    for place, text in limits.items():
        path = tmp_path / "sys/fs/cgroup" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return machine_memory(tmp_path)


def test_without_control_groups_it_is_that_of_the_machine(tmp_path):
    assert machine_memory(tmp_path) > 2**28


def test_the_tightest_limit_of_a_group_or_of_one_that_holds_it_counts(tmp_path):
    limits = {"memory.max": "max\n", "a/memory.max": "1000000\n", "a/b/memory.max": "3000000\n"}
    assert machine(tmp_path, "0::/a/b\n", limits) == 1_000_000


def test_limits_of_the_first_version_count_too(tmp_path):
    groups = "5:cpu,cpuacct:/x\n4:memory:/docker/1\n"
    limits = {"memory/docker/1/memory.limit_in_bytes": "2000000\n", "cpu/x/memory.limit_in_bytes": "7"}
    assert machine(tmp_path, groups, limits) == 2_000_000


def test_a_limit_beyond_the_machine_is_that_of_the_machine(tmp_path):
    (tmp_path / "bare").mkdir()
    beyond = {"memory/memory.limit_in_bytes": "9223372036854771712\n"}
    assert machine(tmp_path, "4:memory:/\n", beyond) == machine_memory(tmp_path / "bare")

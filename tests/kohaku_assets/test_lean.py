import os
import shlex
import subprocess
import sys

import pyarrow as pa
import pytest

SEEN = """
import sys
from kohaku_assets.cli.lean import spare_pandas
spare_pandas()
import pyarrow as pa
table = pa.table({"a": pa.array([1, 2])})
print("pandas" in sys.modules)
"""


def run(*lines):
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_lists_become_arrays_without_pandas():
    assert run(SEEN) == ["False"]


def test_whoever_asks_for_a_data_frame_gets_one_and_pandas_can_be_imported():
    pytest.importorskip("pandas")
    shown = run(SEEN, "print(table.to_pandas()['a'].sum())", "import pandas", "print(len(pandas.Series([1, 2])))")
    assert shown[1:] == ["3", "2"]


def test_pandas_that_is_loaded_already_stays_known_to_pyarrow():
    pytest.importorskip("pandas")
    shown = run("import pandas", SEEN, "print(pa.array(pandas.Series([1.5, None])).null_count)")
    assert shown == ["True", "1"]


QUICK = """
import atexit, sys, threading
from kohaku_assets.cli.lean import leave
print("said")
atexit.register(lambda: print("done"))
"""


@pytest.mark.parametrize(("code", "status"), [(None, 0), (0, 0), (3, 3)])
def test_a_command_ends_at_once_with_its_status_after_what_is_registered_for_the_end(code, status):
    class_that_tells = "class Slow:\n    def __del__(self): print('taken apart')\nslow = Slow()"
    ended = subprocess.run(
        [sys.executable, "-c", f"{QUICK}\n{class_that_tells}\nleave(SystemExit({code!r}))"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout.splitlines()) == (status, ["said", "done"])


def test_a_command_waits_for_threads_at_work():
    work = "threading.Timer(0.2, print, ['worked']).start()"
    assert run(QUICK, work, "leave(SystemExit(0))") == ["said", "worked", "done"]


def test_a_command_whose_output_has_no_reader_fails_as_usual():
    unread = "import os\nreader, writer = os.pipe()\nos.close(reader)\nos.dup2(writer, 1)"
    command = f"{unread}\nfrom kohaku_assets.cli.lean import leave\nprint('lost')\nleave(SystemExit(0))"
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    ended = subprocess.run([sys.executable, "-c", command], stderr=subprocess.PIPE, check=False, env=env)
    assert ended.returncode == 120  # Python's own status where what was printed cannot be written


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_closed_stream_fails_no_command(stream):
    closed = {"stdout": ">&-", "stderr": "2>&-"}[stream]
    command = f"exec {shlex.quote(sys.executable)} -m kohaku_assets.cli --version {closed}"
    assert subprocess.run(["sh", "-c", command], capture_output=True, check=False).returncode == 0


def test_cycles_of_garbage_are_looked_for_seldom():
    told = run("import gc", "from kohaku_assets.cli.lean import lighten", "lighten()", "print(gc.get_threshold()[:2])")
    assert told == ["(100000, 50)"]


@pytest.mark.parametrize(("asked", "backend"), [(None, "jemalloc"), ("system", "system")])
def test_arrow_takes_its_memory_from_jemalloc_unless_told_otherwise(asked, backend):
    if backend not in pa.supported_memory_backends():
        pytest.skip(f"this build of Arrow has no {backend}")
    env = {name: value for name, value in os.environ.items() if name != "ARROW_DEFAULT_MEMORY_POOL"}
    env |= {} if asked is None else {"ARROW_DEFAULT_MEMORY_POOL": asked}
    lines = "import kohaku_assets\nimport pyarrow as pa\nprint(pa.default_memory_pool().backend_name)"
    told = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True, env=env)
    assert (told.stdout, told.stderr) == (f"{backend}\n", "")

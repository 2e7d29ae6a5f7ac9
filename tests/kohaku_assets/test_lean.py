import os
import shlex
import subprocess
import sys

import pyarrow as pa
import pytest


def run(*lines):
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_closed_stream_fails_no_command(stream):
    closed = {"stdout": ">&-", "stderr": "2>&-"}[stream]
    command = f"exec {shlex.quote(sys.executable)} -m kohaku_assets.cli --version {closed}"
    assert subprocess.run(["sh", "-c", command], capture_output=True, check=False).returncode == 0


RARELY = "from kohaku_assets.cli.shared.options import collect_garbage_rarely\ncollect_garbage_rarely()"


def test_cycles_of_garbage_are_looked_for_rarely():
    assert run(RARELY, "import gc", "print(gc.get_threshold()[:2])") == ["(100000, 50)"]


def test_a_command_whose_output_has_no_reader_fails():
    unread = "import os, sys\nreader, writer = os.pipe()\nos.close(reader)\nos.dup2(writer, 1)"
    command = f"{unread}\nfrom kohaku_assets.cli import run\nsys.argv = ['kohaku', '--version']\nrun()"
    ended = subprocess.run([sys.executable, "-c", command], stderr=subprocess.PIPE, check=False)
    assert ended.returncode == 1


@pytest.mark.parametrize(("asked", "backend"), [(None, "jemalloc"), ("system", "system")])
def test_arrow_takes_its_memory_from_jemalloc_unless_told_otherwise(asked, backend):
    if backend not in pa.supported_memory_backends():
        pytest.skip(f"this build of Arrow has no {backend}")
    env = {name: value for name, value in os.environ.items() if name != "ARROW_DEFAULT_MEMORY_POOL"}
    env |= {} if asked is None else {"ARROW_DEFAULT_MEMORY_POOL": asked}
    lines = "import kohaku_assets\nimport pyarrow as pa\nprint(pa.default_memory_pool().backend_name)"
    told = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True, env=env)
    assert (told.stdout, told.stderr) == (f"{backend}\n", "")

"""Parser processes that wait for the next file."""

import os
import signal
import subprocess
import sys

import psutil
import pytest
from started_process import started_process

from kohaku_lib.documents import parse_paths
from kohaku_lib.documents.worker import kept_processes
from kohaku_lib.documents.worker.kept_processes import end_kept_processes, keep_process, parser_process
from kohaku_lib.settings import DocumentsSettings

SERVE_BRIEFLY = """
import sys
from kohaku_lib.documents.worker import process
process.IDLE_LIMIT_S = 0.2
process.serve(sys.stdin, sys.stdout)
"""


@pytest.fixture(autouse=True)
def _none_kept():
    end_kept_processes()
    yield
    end_kept_processes()


@pytest.fixture
def read(tmp_path):
    """Reads one file in a process, and returns the ids of the processes that are kept then."""
    (tmp_path / "bee.html").write_text("<p>Bees fly.")

    def read():
        [outcome] = parse_paths([tmp_path / "bee.html"], DocumentsSettings(ocr="off"), workers=1)
        assert outcome.status == "parsed"
        return [one.process.pid for one in kept_processes._idle]

    return read


def test_the_next_file_is_read_by_the_process_of_the_one_before(read):
    first = read()
    assert len(first) == 1
    assert read() == first


def test_a_process_that_died_waits_too_long_or_knows_another_path_is_replaced(read, monkeypatch):
    [first] = read()
    kept_processes._idle[0].process.kill()
    kept_processes._idle[0].process.wait()
    [second] = read()
    assert second != first
    with monkeypatch.context() as patch:
        patch.setattr(kept_processes, "_KEPT_S", 0.0)
        [third] = read()
        assert third != second
    assert not psutil.pid_exists(second)
    monkeypatch.setenv("PATH", "/nowhere", prepend=os.pathsep)
    assert [pid for pid in read() if pid != third]


def test_no_more_processes_wait_than_there_are_cores(monkeypatch):
    monkeypatch.setattr(kept_processes, "available_cores", lambda: 2)
    processes = [parser_process() for _ in range(3)]
    for process in processes:
        keep_process(process)
    assert [one.process for one in kept_processes._idle] == processes[1:]
    assert processes[0].returncode == -signal.SIGKILL


def test_a_process_without_a_task_ends_by_itself(tmp_path):
    (tmp_path / "bee.html").write_text("<p>Bees fly.")
    with started_process(
        [sys.executable, "-c", SERVE_BRIEFLY], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as process:
        process.stdin.write(b"\n")
        process.stdin.flush()
        assert process.wait(60) == -signal.SIGALRM


def test_kept_processes_end_with_the_program():
    program = (
        "from kohaku_lib.documents.worker.kept_processes import keep_process, parser_process\n"
        "process = parser_process()\nkeep_process(process)\nprint(process.pid)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert not psutil.pid_exists(int(done.stdout))

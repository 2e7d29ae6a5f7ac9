"""Child processes of tests are alike however the tests were started, and leave nothing behind."""

import signal
import subprocess
import sys

import psutil
import pytest
from started_process import started_process

FAMILY = """
import subprocess, sys
print(subprocess.Popen(["sleep", "600"], start_new_session=sys.argv[1] == "own").pid, flush=True)
if sys.argv[2] == "stays":
    sys.stdin.read()
"""


@pytest.fixture(params=[signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT], ids=lambda number: number.name)
def ignored(request):
    """A signal that this process ignores, as in the background of a script."""
    before = signal.signal(request.param, signal.SIG_IGN)
    yield request.param
    assert signal.signal(request.param, before) is signal.SIG_IGN


def test_a_child_heeds_a_signal_that_its_parent_ignores(ignored):
    with started_process(["sleep", "600"]) as process:
        process.send_signal(ignored)
        assert process.wait(60) == -ignored


def test_a_python_child_has_the_default_handler_of_an_interrupt(ignored):
    program = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    with started_process([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.communicate()[0] == b"True\n"


@pytest.mark.parametrize(("session", "child"), [("same", "stays"), ("same", "ends"), ("own", "stays")])
def test_no_grandchild_outlives_the_block(session, child):
    command = [sys.executable, "-c", FAMILY, session, child]
    with started_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        grandchild = psutil.Process(int(process.stdout.readline()))
        if child == "ends":
            process.wait(60)
    assert not grandchild.is_running() or grandchild.status() == psutil.STATUS_ZOMBIE


def test_pipes_are_closed_and_the_child_is_awaited_where_the_block_fails():
    with pytest.raises(KeyError), started_process(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        raise KeyError
    assert (process.returncode, process.stdin.closed, process.stdout.closed) == (-signal.SIGKILL, True, True)

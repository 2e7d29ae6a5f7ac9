"""No process of ours looks up a name, connects beyond the loopback, or writes an identity into the home of the user."""

import os
import re
import shutil
import signal
import subprocess
import sys

import pytest
from started_process import started_process

LOOPBACK = re.compile(r'inet_addr\("127\.|inet_pton\(AF_INET6, "::1"|"::ffff:127\.|AF_UNIX|AF_NETLINK|AF_UNSPEC')


@pytest.fixture
def watched(fresh, tmp_path):
    """Return a function that begins a command of kohaku, and the file with its calls of `connect` and of name look-ups."""
    home, calls = fresh().home, tmp_path / "calls"
    user = tmp_path / "user"
    user.mkdir()
    hidden = ("KOHAKU_", "ORT_", "HF_", "RAY_", "DO_NOT", "CI")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    environment |= {
        "HOME": str(user),
        "KOHAKU_CACHE": str(tmp_path / "cache"),
        "DAGSTER_HOME": str(home / "dagster_home"),
    }
    options = {"cwd": home, "env": environment}
    traced = ["strace", "-f", "-qq", "-e", "trace=connect,openat", "-o", str(calls)]

    def command(*words):
        return [*traced, sys.executable, "-m", "kohaku_assets.cli", *words], options

    command.calls, command.user = calls, user
    return command


def assert_silent(watched):
    lines = watched.calls.read_text(errors="replace").splitlines()
    assert len(lines) > 100
    connections = [line for line in lines if "connect(" in line and "sa_family" in line]
    assert [line for line in connections if not LOOPBACK.search(line)] == []
    assert [line for line in lines if "resolv.conf" in line and "ENOENT" not in line] == []
    assert [str(path) for path in watched.user.rglob("*") if path.is_file()] == []


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace (apt-get install strace)")
@pytest.mark.parametrize(
    "words",
    [
        ("parse", "data/sample/documents/kohaku-energy-report.pdf"),  # with the layout model
        ("refresh", "--force", "documents"),
        ("ask", "How much electricity did the machine room use in 2023?"),
    ],
    ids=lambda words: words[0],
)
def test_a_verb_speaks_to_nobody(words, watched):
    command, options = watched(*words)
    done = subprocess.run(command, **options, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert_silent(watched)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace (apt-get install strace)")
def test_a_server_speaks_to_nobody(watched):
    command, options = watched("serve", "--port", "0")
    with started_process(command, **options, stderr=subprocess.PIPE, text=True) as process:
        while "serving on " not in (line := process.stderr.readline()):
            assert line, "the server did not start"
        process.send_signal(signal.SIGTERM)
    assert_silent(watched)

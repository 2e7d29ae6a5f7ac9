"""What a model's server does wrong, as a user of the commands sees it: no key anywhere, no long wait, no loss."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner
from raw_server import RawServer, response, sends
from started_process import started_process

from kohaku_assets.cli import main
from kohaku_lib.testing.openai_server import OpenAIServer

KEY = "sk-proj-Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5"
PASSWORD = "pass-word-of-mine"
HANG_S = 300.0  # the commands take seconds; the servers would hold them for many minutes


def told_settings(overrides):
    chosen = {"llm__provider": "openai", "answer__by": "model", **overrides}
    return [part for name, value in chosen.items() for part in ("--set", f"{name.replace('__', '.', 1)}={value}")]


def started(home, *arguments, **overrides):
    """Run a command of kohaku in the project `home`; settings are given as `section__name=value`."""
    return started_process(
        [sys.executable, "-m", "kohaku_assets.cli", *arguments, *told_settings(overrides)],
        cwd=home,
        env={**os.environ, "OPENAI_API_KEY": KEY},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(home, *arguments, **overrides):
    """Exit code, output and messages of a command in a process of its own."""
    with started(home, *arguments, **overrides) as process:
        out, told = process.communicate(timeout=HANG_S)
    return process.returncode, out, told


@pytest.fixture
def called(monkeypatch):
    """Return a function that does the same in this process."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def call(home, *arguments, **overrides):
        monkeypatch.chdir(home)
        done = CliRunner().invoke(main, [*arguments, *told_settings(overrides)])
        return done.exit_code, done.stdout, done.stderr

    return call


def holding(folder, *pieces):
    """The files in `folder` that hold one of `pieces`, Dagster's databases and logs among them."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if any(piece.encode() in path.read_bytes() for piece in pieces)]


@pytest.mark.parametrize("cut", [34, pytest.param(len(KEY), marks=pytest.mark.slow)])
@pytest.mark.parametrize("served", ["llm", "embedding"])
def test_a_key_that_a_401_echoes_is_in_no_file_event_log_or_output(fresh, called, served, cut, caplog):
    home = fresh().home
    echoed = json.dumps({"error": {"message": f"Incorrect API key provided: Bearer {KEY[:cut]}"}}).encode()
    with RawServer(sends(response(echoed, "401 Unauthorized"))) as server:
        address = server.url.replace("://", f"://me:{PASSWORD}@")
        chosen = {"llm__base_url": address, "planner__kind": "rule"}
        if served == "embedding":
            chosen = {"answer__by": "reader", "embedding__base_url": address, "embedding__model": "openai:small"}
        # A process has its log on standard error and in the files of its run; the other is looked at in this one.
        code, out, told = (ended if served == "llm" else called)(home, "refresh", **chosen)
    assert server.heads
    assert code == 1
    assert "[key]" in told
    assert KEY[:12] not in out + told + caplog.text
    assert PASSWORD not in out + told + caplog.text
    assert holding(home, KEY[:12], PASSWORD) == []
    assert holding(home, "Incorrect API key provided") != []  # it was looked for where it would be


def test_settings_show_no_password(fresh, called):
    address = f"http://me:{PASSWORD}@127.0.0.1:9/v1?api_key={KEY}"
    home = fresh().home
    for more in ((), ("--json",)):
        code, out, told = called(home, "settings", *more, llm__base_url=address)
        assert code == 0
        assert "***@127.0.0.1" in out
        assert PASSWORD not in out + told
        assert KEY[:12] not in out + told


@pytest.mark.parametrize("asset", [pytest.param("predictions", marks=pytest.mark.slow), "sentence_embeddings"])
def test_an_interrupt_is_obeyed_while_a_server_holds_its_replies_back(fresh, asset):
    home = fresh().home
    with RawServer(sends(b"HTTP/1.1 200 OK\r\n", end=False)) as server:
        chosen = {"llm__base_url": server.url, "planner__kind": "rule", "llm__timeout_s": "600"}
        if asset == "sentence_embeddings":
            chosen = {
                "answer__by": "reader",
                "embedding__model": "openai:small",
                "embedding__base_url": server.url,
                "embedding__timeout_s": "600",
                "embedding__batch_size": "4",
            }
        with started(home, "refresh", **chosen) as process:
            while not server.heads:
                assert process.poll() is None
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=HANG_S)
    assert (process.returncode, "Traceback" in told) == (130, False), told


def test_ask_says_at_once_that_nothing_answers(fresh, called):
    with OpenAIServer() as server:
        pass
    question = "How much electricity did the machine room use in 2023?"
    code, out, told = called(fresh().home, "ask", question, llm__base_url=server.base_url)
    assert (code, out) == (1, "")
    assert "the connection failed: [Errno 111] Connection refused" in told


def test_the_reader_answers_by_default_where_nothing_else_does(fresh, called):
    with OpenAIServer() as server:
        pass
    question = "How much electricity did the whole workshop use in 2023?"
    chosen = {"llm__base_url": server.base_url, "llm__call_retries": "0", "answer__by": "auto"}
    code, out, told = called(fresh().home, "ask", question, **chosen)
    assert (code, out.split()[:2]) == (0, ["41,800", "kWh"])
    assert "the connection failed: [Errno 111] Connection refused" in told


def test_ask_gives_a_server_up_soon_that_takes_no_connection(fresh, called):
    with socket.create_server(("127.0.0.1", 0), backlog=0) as deaf:
        waiting = [socket.socket() for _ in range(3)]
        for one in waiting:  # they fill the queue, so that the next connection is not answered at all
            one.setblocking(False)
            one.connect_ex(deaf.getsockname())
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/v1"
        code, _, told = called(fresh().home, "ask", "How much electricity?", llm__base_url=url)
        for one in waiting:
            one.close()
    assert code == 1
    assert "nothing answered the connection in time" in told


def test_a_retry_of_ask_is_one_line_that_says_what_failed_and_when_the_next_begins(fresh):
    with OpenAIServer([{"kind": "status", "status": 503, "message": "overloaded"}]) as server:
        settings = {"llm__base_url": server.base_url, "planner__kind": "rule", "llm__retry_base_s": "0.1"}
        code, _, told = ended(fresh().home, "ask", "How much electricity?", **settings)
    assert code == 0
    lines = [line for line in told.splitlines() if "overloaded" in line]
    assert len(lines) == 1
    assert "status 503, overloaded; attempt 2 of 6 starts in 0.1 s" in lines[0]


def test_a_question_of_bytes_that_are_no_utf_8_is_answered(fresh):
    process = subprocess.run(
        [
            sys.executable,
            "-m",
            "kohaku_assets.cli",
            "ask",
            b"How much \xff electricity did the machine room use in 2023?",
        ],
        cwd=fresh().home,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (process.returncode, "fault of kohaku" in process.stderr) == (0, False)

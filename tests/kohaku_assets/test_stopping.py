"""A service that is stopped keeps what it has paid for."""

import json
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest
from killed_runs import KillableRun, copy_inputs
from started_process import started_process

from kohaku_assets.operations.refresh import refresh
from kohaku_lib.testing.openai_server import OpenAIServer


def stop_verb(home, server, arguments, signal_number, billed):
    """Send a signal to a verb with a chat model, once `billed` calls are billed; return its exit code and messages."""
    settings = (
        *arguments,
        "--set",
        "llm.provider=openai",
        "--set",
        "answer.by=model",
        "--set",
        f"llm.base_url={server.base_url}",
    )
    with started_process(
        [sys.executable, "-m", "kohaku_assets.cli", *settings],
        cwd=home,
        env=os.environ | {"OPENAI_API_KEY": "no-key"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        end = time.monotonic() + 120
        while server.stats()["billed"] < billed and time.monotonic() < end and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal_number)
        _, messages = process.communicate(timeout=120)
    return process.returncode, messages


def test_an_interrupted_refresh_ends_in_one_sentence_and_the_next_one_pays_for_nothing_twice(fresh):
    settings = [
        "llm.provider=openai",
        "answer.by=model",
        "llm.max_concurrent=2",
        "planner.kind=rule",
        "answer.max_retries=0",
    ]
    settings += ["release.gate=false"]
    overrides = [part for setting in settings for part in ("--set", setting)]
    with OpenAIServer(delay_s=0.3) as server:
        project = fresh(*settings, f"llm.base_url={server.base_url}")
        code, messages = stop_verb(project.home, server, ["refresh", *overrides], signal.SIGINT, billed=3)
        billed = server.stats()["billed"]
        assert code == 130
        assert "kohaku: stopped; finished stages and paid calls are saved" in messages
        assert "Traceback" not in messages
        assert 3 <= billed < 12
        assert refresh(project).failure is None
        assert server.stats() == {"requests": 12, "billed": 12, "distinct": 12}


def test_a_terminated_verb_lets_calls_in_flight_end_and_records_them(fresh):
    home, files = fresh().home, ("--questions", "data/sample/questions.csv", "--out", "out.csv")
    overrides = ("--set", "llm.max_concurrent=2", "--set", "planner.kind=rule")
    with OpenAIServer(delay_s=0.5) as server:
        code, messages = stop_verb(home, server, ["answer", *files, *overrides], signal.SIGTERM, billed=2)
        billed = server.stats()["billed"]
    assert code == 130
    assert "kohaku: stopped; finished stages and paid calls are saved" in messages
    ledger = home / "data" / "store" / "llm_calls"
    recorded = [json.loads(line) for path in ledger.glob("*.jsonl") for line in path.read_text().splitlines()]
    assert 2 <= billed < 12
    assert len(recorded) == billed


def parsers_of(run):
    """The processes that read files for it; those that end meanwhile are no more among them."""
    try:
        below = psutil.Process(run.process.pid).children(recursive=True)
        return [one for one in below if "kohaku_lib.documents.worker.process" in one.cmdline()]
    except psutil.Error:
        return []


@pytest.mark.parametrize("stop", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_a_run_can_be_stopped_though_the_processes_that_read_its_files_answer_no_more(home, tmp_path, stop):
    folder = copy_inputs(home, tmp_path / "copy")
    pdf = folder / "data" / "sample" / "documents" / "kohaku-energy-report.pdf"
    pdf.with_name("second.pdf").write_bytes(pdf.read_bytes() + b"% another\n")
    with KillableRun(folder, []) as run:
        while len(parsers := parsers_of(run)) < 2:
            assert run.process.poll() is None, run.lines
            time.sleep(0.01)
        for parser in parsers:
            parser.suspend()
        run.process.send_signal(stop)
        assert run.process.wait(100) == 130
        assert run.is_gone()
    assert run.lines[-1] == "kohaku: stopped\n"

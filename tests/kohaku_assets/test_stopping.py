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
from openai_server import OpenAIServer

pytestmark = pytest.mark.xdist_group("sample")


def test_a_terminated_verb_lets_calls_in_flight_end_and_records_them(fresh):
    with OpenAIServer(delay_s=0.5) as server:
        told = ["llm.provider=openai", f"llm.base_url={server.base_url}", "llm.max_concurrent=2", "planner.kind=rule"]
        home, files = fresh().home, ("--questions", "data/sample/questions.csv", "--out", "out.csv")
        overrides = [part for override in told for part in ("--set", override)]
        process = subprocess.Popen(
            [sys.executable, "-m", "kohaku_assets.cli", "answer", *files, *overrides],
            cwd=home,
            env=dict(os.environ),
            stderr=subprocess.PIPE,
            text=True,
        )
        end = time.monotonic() + 120
        while server.stats()["billed"] < 2 and time.monotonic() < end and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        _, told_last = process.communicate(timeout=120)
        billed = server.stats()["billed"]
    assert process.returncode == 130
    assert "kohaku: stopped; finished stages and paid calls are saved" in told_last
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


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_run_can_be_stopped_though_the_processes_that_read_its_files_answer_no_more(home, tmp_path, stop):
    folder = copy_inputs(home, tmp_path / "copy")
    pdf = folder / "data" / "sample" / "documents" / "kohaku-energy-report.pdf"
    pdf.with_name("second.pdf").write_bytes(pdf.read_bytes() + b"% another\n")
    run = KillableRun(folder, [])
    while len(parsers := parsers_of(run)) < 2:
        assert run.process.poll() is None, run.lines
        time.sleep(0.01)
    for parser in parsers:
        parser.suspend()
    run.process.send_signal(stop)
    try:
        assert run.process.wait(100) == 130
    finally:
        run.kill()
    assert "kohaku: documents: stopped" in run.lines[-1]
    assert run.is_gone()

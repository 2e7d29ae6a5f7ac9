"""A service that is stopped keeps what it has paid for."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
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
    assert "kohaku: stopped; what was finished and paid for is kept" in told_last
    ledger = home / "data" / "store" / "llm_calls"
    recorded = [json.loads(line) for path in ledger.glob("*.jsonl") for line in path.read_text().splitlines()]
    assert 2 <= billed < 12
    assert len(recorded) == billed

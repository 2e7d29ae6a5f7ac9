import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from started_process import started_process

from kohaku_lib.llm import CallLedger
from kohaku_lib.testing.openai_server import OpenAIServer

SUPPORT = Path(__file__).resolve().parents[2] / "support"
QUESTIONS = 16
WORKER = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(SUPPORT)!r})
from answering_material import chat_settings, contexts_table, questions_table, snippet
from kohaku_lib.answering import Engine, GivenParts, answer_questions, build_answerer
from kohaku_lib.llm import CallLedger, build_chat
settings = chat_settings(sys.argv[1], llm={{"max_concurrent": 2}})
questions = questions_table(*[(f"q{{n}}", f"How heavy is part {{n}}?", "kg") for n in range({QUESTIONS})])
contexts = contexts_table({{f"q{{n}}": [snippet(f"The part weighs {{n + 100}} kg.")] for n in range({QUESTIONS})}})
answerer = build_answerer(settings, build_chat(settings.llm, CallLedger(Path(sys.argv[2]))))
table, report = answer_questions(questions, contexts, Engine(settings, GivenParts([answerer], None, {{}})))
print(report.rows_computed, report.rows_reused, ",".join(table.column("answer_value").to_pylist()))
"""


def worker(server, folder):
    command = [sys.executable, "-c", WORKER, server.base_url, str(folder)]
    return started_process(command, stdout=subprocess.PIPE, text=True)


def recorded(folder):
    return sum(path.read_bytes().count(b"\n") for path in folder.glob("*.jsonl"))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_run_repeats_no_finished_call(tmp_path):
    with OpenAIServer([{"kind": "ok"}] * 6 + [{"kind": "held"}] * 2) as server:
        with worker(server, tmp_path) as killed:
            while recorded(tmp_path) < 6 or server.stats()["billed"] < 8:
                assert killed.poll() is None
                time.sleep(0.01)
        finished = {call["prompt_sha256"] for call in calls(tmp_path)}
        assert len(finished) == 6

        with worker(server, tmp_path) as again:
            told = again.communicate()[0].split()
        paid_for = [call["prompt_sha256"] for call in calls(tmp_path)]
        values = ",".join(str(n + 100) for n in range(QUESTIONS))
        assert told == [str(QUESTIONS - len(finished)), str(len(finished)), values]
        assert len(paid_for) == len(set(paid_for)) == QUESTIONS
        assert server.stats()["distinct"] == QUESTIONS
        assert server.stats()["billed"] == QUESTIONS + 2  # the two that were in flight


def calls(folder):
    assert CallLedger(folder).unreadable_lines <= 1
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_bytes().splitlines(keepends=True)]
    return [json.loads(line) for line in lines if line.endswith(b"\n")]

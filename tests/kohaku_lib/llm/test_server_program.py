import json
import subprocess
import sys
import urllib.request

from answering_material import chat_request
from fake_time import FakeTime
from started_process import started_process

from kohaku_lib.llm import OpenAIChat
from kohaku_lib.settings import LlmSettings


def test_the_loopback_server_runs_as_a_program_that_prints_its_address():
    faults = json.dumps([{"kind": "status", "status": 503}])
    command = [sys.executable, "-m", "kohaku_lib.testing.openai_server", "--port", "0", "--faults", faults]
    with started_process(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        base_url = program.stdout.readline().strip()
        fake_time = FakeTime()
        chat = OpenAIChat(LlmSettings(provider="openai", base_url=base_url), fake_time.environment())
        assert '"42"' in chat.complete(chat_request()).text
        with urllib.request.urlopen(f"{base_url}/stats", timeout=60) as response:
            stats = json.load(response)
    assert (stats, fake_time.slept) == ({"requests": 2, "billed": 1, "distinct": 1}, [3.0])

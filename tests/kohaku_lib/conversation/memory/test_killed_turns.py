"""Processes that are killed in the middle of a turn lose no message that was kept; two share one session."""

import subprocess
import sys
from pathlib import Path

import pytest
from started_process import started_process

from kohaku_lib.conversation.memory.database import open_database
from kohaku_lib.conversation.memory.message_store import MessageStore

SCRIPT = Path(__file__).resolve().parents[3] / "support" / "killed_turns.py"


def started(store):
    return started_process([sys.executable, str(SCRIPT), str(store), "s1"], stdout=subprocess.PIPE, text=True)


def kill_after(process, number):
    """Kill a process after it has printed `number` messages, and return all it printed."""
    lines = [process.stdout.readline().strip() for _ in range(number)]
    process.kill()
    return [*lines, *process.stdout.read().splitlines()]


@pytest.mark.slow
def test_a_kill_in_the_middle_of_a_turn_loses_no_finished_message(tmp_path):
    for _ in range(3):
        with started(tmp_path) as process:
            printed = kill_after(process, 9)  # a question without its answer
    engine = open_database(tmp_path)
    kept = [message.content for message in MessageStore(engine).messages("s1")]
    engine.dispose()
    for message in printed:
        assert kept.count(message) >= 1
    assert kept.count("user 0") == 3
    assert kept.count("assistant 3") == 3


def test_two_processes_share_one_session_and_both_keep_all_their_messages(tmp_path):
    with started(tmp_path) as one, started(tmp_path) as other:
        printed = [kill_after(process, 20) for process in (one, other)]
    engine = open_database(tmp_path)
    messages = MessageStore(engine).messages("s1")
    engine.dispose()
    kept = [message.content for message in messages]
    for message in {*printed[0][:20], *printed[1][:20]}:
        assert kept.count(message) == 2
    assert [message.message_id for message in messages] == sorted(message.message_id for message in messages)

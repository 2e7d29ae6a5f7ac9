"""The process of the next refresh: it waits, begins when it is told to, and is replaced where it has died."""

import json
import os
import signal

import pytest

from kohaku_assets.server.waiting_refresh import WaitingRefresh


@pytest.fixture
def waiting(built):
    refresh = WaitingRefresh(built[0], ("documents",))
    yield refresh
    refresh.close()


def process_of(waiting):
    """Return the process that waits, while nothing else begins it."""
    return waiting._waiting.process


def ended(begun):
    with begun.process.stderr as lines:
        messages = lines.read()
    code = begun.process.wait(60)
    with begun.table:
        begun.table.seek(0)
        return code, begun.table.read(), messages


def test_a_process_that_waits_begins_when_it_is_told_to(waiting):
    waiting.prepare()
    prepared = process_of(waiting).pid
    waiting.prepare()
    begun = waiting.begin()
    assert begun.process.pid == prepared
    code, table, messages = ended(begun)
    assert (code, json.loads(table)) == (0, []), messages  # everything is up to date


def test_a_process_that_has_died_is_replaced(waiting):
    waiting.prepare()
    dead = process_of(waiting)
    os.kill(dead.pid, signal.SIGKILL)
    dead.wait(60)
    begun = waiting.begin()
    assert begun.process.pid != dead.pid
    assert ended(begun)[0] == 0


def test_a_process_without_its_server_ends_and_computes_nothing(waiting):
    waiting.prepare()
    process = process_of(waiting)
    process.stdin.close()
    with process.stderr as lines, waiting._waiting.table:
        assert (process.wait(60), lines.read()) == (0, "")
    waiting._waiting = None


def test_what_waits_ends_with_the_server(waiting):
    waiting.prepare()
    process = process_of(waiting)
    waiting.close()
    assert process.returncode == -signal.SIGTERM
    waiting.prepare()
    assert waiting._waiting is None

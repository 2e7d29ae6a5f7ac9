"""A server under load: killed, it has lost no answer it gave; while versions are published and rolled back, none fails."""

import contextlib
import http.client
import itertools
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from killed_runs import copy_inputs
from running_server import running_server
from s3_server import reachable_bucket

from kohaku_assets.operations.refresh import refresh
from kohaku_assets.records.project_lock import project_lock
from kohaku_lib.index import current_version, list_snapshots

pytestmark = pytest.mark.slow
QUESTIONS = (
    "How much electricity did the machine room use in 2023?",
    "Who maintains the model Gintaras-M?",
    "How many parameters does Gintaras-L have?",
)
KILLED_AFTER = 24  # answers
PUBLICATIONS = 4  # an even number: the roll-back is from the first version to the second
PATIENCE_S = 600.0  # on a busy machine


def test_a_kill_under_load_loses_no_answer_and_the_next_start_needs_no_repair(fresh):
    project = fresh()
    answered, lock, enough = [], threading.Lock(), threading.Event()

    def ask(url, number):
        """Ask until the server is gone: at most three turns a session, as several users do."""
        session = None
        try:
            with httpx.Client(base_url=url, timeout=PATIENCE_S) as client, contextlib.suppress(httpx.TransportError):
                for turn in itertools.count(number):
                    reply = client.post("/v1/chat", json={"message": QUESTIONS[turn % 3], "session_id": session})
                    reply.raise_for_status()
                    session = reply.json()["session_id"]
                    with lock:
                        answered.append((session, reply.json()["answer_id"]))
                    if len(answered) >= KILLED_AFTER:
                        enough.set()
                    if turn % 3 == 2:
                        session = None
        finally:
            enough.set()  # a user whose question is refused ends the wait; its cause is raised below

    with running_server(project.home) as running:
        with ThreadPoolExecutor(8) as users:
            asking = [users.submit(ask, running.url, number) for number in range(8)]
            assert enough.wait(120)
            running.process.kill()
        for one in asking:
            one.result()
    assert len(answered) >= KILLED_AFTER
    with running_server(project.home) as running:
        kept = {}
        for session in {session for session, _ in answered}:
            messages = running.client.get(f"/v1/sessions/{session}").json()["messages"]
            roles = [message["role"] for message in messages]
            turns = ["user", "assistant"] * (len(messages) // 2)
            assert roles in (turns, [*turns, "user"])  # a question that was under way is kept without its answer
            kept[session] = {message["answer_id"] for message in messages}
        assert [one for one in answered if one[1] not in kept[one[0]]] == []
        assert running.client.post("/v1/chat", json={"message": QUESTIONS[0]}).status_code == 200
    with contextlib.closing(sqlite3.connect(project.store / "assistant.db")) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_publications_and_a_roll_back_under_32_clients_fail_no_request(fresh):
    first = fresh()
    (first.home / "data" / "sample" / "documents" / "ferry.md").write_text(
        "# Ferry\n\nThe ferry carries 64 bicycles.\n"
    )
    report = refresh(first, ["published_index"])
    assert report.failure is None, report.failure
    versions = [info.version for info in list_snapshots(first.snapshots)]
    assert len(versions) == 2
    statuses, ended = [], threading.Event()

    def ask(url, number):
        with httpx.Client(base_url=url, timeout=PATIENCE_S) as client:
            for turn in itertools.count(number):
                if ended.is_set():
                    return
                if turn % 4:
                    reply = client.post("/v1/search", json={"query": QUESTIONS[turn % 3], "top_k": 3})
                    is_right = bool(reply.json().get("matches"))
                else:
                    reply = client.post("/v1/chat", json={"message": f"{QUESTIONS[turn % 3]} ({number})"})
                    is_right = reply.json().get("index_version") in versions
                statuses.append(reply.status_code if is_right else reply.text)

    with running_server(first.home) as running, ThreadPoolExecutor(32) as users:
        running.client.timeout = PATIENCE_S
        asking = [users.submit(ask, running.url, number) for number in range(32)]
        try:
            told = [
                running.client.put("/v1/index/published", json={"version": versions[(turn + 1) % 2]})
                for turn in range(PUBLICATIONS)
            ]
            told.append(running.client.put("/v1/index/published", json={"roll_back": True}))
            [current] = [one for one in told[-1].json()["versions"] if one["current"]]
            told.append(running.client.put("/v1/index/published", json={"unpin": True}))
        finally:
            ended.set()
        for one in asking:
            one.result()
    assert [one.status_code for one in told] == [200] * (PUBLICATIONS + 2), [one.text for one in told]
    assert (current["version"], current["pinned"]) == (versions[1], True)
    [current] = [one for one in told[-1].json()["versions"] if one["current"]]
    assert (current["version"], current["pinned"]) == (versions[0], False)
    assert len(statuses) > 32
    assert set(statuses) == {200}


def test_questions_are_answered_while_a_whole_store_is_fetched_before_a_publication(fresh, home, tmp_path):
    held, is_fetching = threading.Event(), threading.Event()

    def hold_tables(number, environment):
        if held.is_set() or environment["REQUEST_METHOD"] != "GET" or "/objects/" not in environment["PATH_INFO"]:
            return
        is_fetching.set()
        assert held.wait(PATIENCE_S)

    with reachable_bucket() as bucket, ThreadPoolExecutor(1) as administrator:
        built = fresh(f"bucket.url={bucket.url}")
        with project_lock(built):  # at its end, the store is uploaded
            version = current_version(built.snapshots)
        empty = copy_inputs(home, tmp_path / "empty")
        with running_server(empty, "--set", f"bucket.url={bucket.url}", "--set", "server.workers=1") as running:
            assert running.client.post("/v1/search", json={"query": QUESTIONS[0]}).json()["matches"]
            assert not (empty / "data" / "store" / "stages").exists()  # the server has fetched only its index
            bucket.fault = hold_tables
            running.client.timeout = PATIENCE_S
            publishing = administrator.submit(running.client.put, "/v1/index/published", json={"version": version})
            try:
                assert is_fetching.wait(PATIENCE_S)
                with httpx.Client(base_url=running.url, timeout=60) as asking:
                    assert asking.post("/v1/search", json={"query": QUESTIONS[1]}).json()["matches"]
                assert not publishing.done()
            finally:
                held.set()
            assert publishing.result().status_code == 200, publishing.result().text
            assert (empty / "data" / "store" / "stages" / "scores" / "latest.json").exists()


def test_an_idle_connection_outlives_the_seconds_for_which_clients_keep_theirs(fresh):
    with running_server(fresh().home) as running:
        address = running.client.base_url
        connection = http.client.HTTPConnection(address.host, address.port, timeout=PATIENCE_S)
        with contextlib.closing(connection):
            for wait_s in (6.0, 0.0):  # httpx keeps an idle connection for 5 s
                connection.request("GET", "/healthz")
                reply = connection.getresponse()
                assert (reply.status, reply.read()[:1]) == (200, b"{")
                time.sleep(wait_s)

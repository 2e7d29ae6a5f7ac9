"""Sessions and messages survive restarts and kills, and every process sees those of the others."""

import signal
import subprocess
import sys

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text
from started_process import started_process

from kohaku_lib.conversation.memory.database import open_database
from kohaku_lib.conversation.memory.message_store import Message, MessageStore, Owner
from kohaku_lib.conversation.memory.tables import METADATA
from kohaku_lib.errors import StoreError

ANN = Owner("default", "ann")


@pytest.fixture
def store(tmp_path):
    engine = open_database(tmp_path)
    yield MessageStore(engine)
    engine.dispose()


def said(number, role="user"):
    return Message(f"a{number}", role, f"text {number}", f"question {number}", is_answer=role == "assistant")


def contents(store, session_id="s", **limits):
    return [message.content for message in store.messages(session_id, **limits)]


def test_messages_come_back_in_their_order_as_they_were(store):
    store.begin("s", ANN)
    ids = [store.add("s", said(1)), store.add("s", said(1, "assistant"))]
    first, second = store.messages("s")
    assert [first.message_id, second.message_id] == ids
    assert (second.role, second.content, second.question, second.is_answer) == (
        "assistant",
        "text 1",
        "question 1",
        True,
    )


def test_only_the_newest_messages_after_an_id_are_read(store):
    store.begin("s", ANN)
    ids = [store.add("s", said(number)) for number in range(5)]
    assert contents(store, after=ids[1], most=2) == ["text 3", "text 4"]
    assert contents(store, after=ids[4]) == []


def test_sessions_have_an_owner_and_no_messages_of_others(store):
    assert store.owner("s") is None
    assert store.begin("s", ANN) == ANN
    assert store.begin("s", Owner("default", "bob")) == ANN
    store.begin("t", Owner("other"))
    store.add("s", said(1))
    assert (store.owner("t"), contents(store, "t")) == (Owner("other"), [])


def test_a_message_without_a_session_is_refused(store):
    with pytest.raises(Exception, match="FOREIGN KEY"):
        store.add("nowhere", said(1))


def test_a_store_opened_again_holds_what_was_said(tmp_path, store):
    store.begin("s", ANN)
    store.add("s", said(1))
    again = MessageStore(open_database(tmp_path))
    assert contents(again) == ["text 1"]


def test_the_database_keeps_a_write_ahead_log(tmp_path):
    engine = open_database(tmp_path)
    with engine.connect() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
    engine.dispose()


def test_the_migrations_make_the_tables_that_the_code_reads(tmp_path):
    engine = open_database(tmp_path)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    engine.dispose()


def test_a_database_of_a_later_version_is_refused(tmp_path):
    engine = open_database(tmp_path)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    with pytest.raises(StoreError, match="was written by a later version of Kohaku"):
        open_database(tmp_path)


def test_what_is_no_database_is_refused_with_the_setting(tmp_path):
    (tmp_path / "assistant.db").write_text("no database, but a text that is long enough to be read as one" * 100)
    with pytest.raises(StoreError, match=r"cannot be opened \(.*\); set assistant\.database"):
        open_database(tmp_path)
    with pytest.raises(StoreError, match=r"set assistant\.database"):
        open_database(tmp_path, "nonsense://host/name")


WRITER = """
import sys
from pathlib import Path
from kohaku_lib.conversation.memory.database import open_database
from kohaku_lib.conversation.memory.message_store import Message, MessageStore, Owner
store = MessageStore(open_database(Path(sys.argv[1])))
store.begin("s", Owner("default", "ann"))
for number in range(int(sys.argv[2])):
    store.add("s", Message(f"{sys.argv[3]}{number}", "user", f"{sys.argv[3]}{number}", "q"))
    print(f"{sys.argv[3]}{number}", flush=True)
"""


def writer(folder, count, name):
    command = [sys.executable, "-c", WRITER, str(folder), str(count), name]
    return started_process(command, stdout=subprocess.PIPE, text=True)


def test_a_process_that_is_killed_loses_no_message_that_it_finished(tmp_path):
    with writer(tmp_path, 100_000, "m") as process:
        finished = [process.stdout.readline().strip() for _ in range(50)]
        process.send_signal(signal.SIGKILL)
        finished += process.communicate()[0].split()
    store = MessageStore(open_database(tmp_path))
    kept = contents(store, most=200_000)
    assert kept[: len(finished)] == finished
    assert len(kept) <= len(finished) + 1  # one may have been stored and not printed


def test_two_processes_write_one_session(tmp_path):
    with writer(tmp_path, 40, "a") as one, writer(tmp_path, 40, "b") as other:
        for process in (one, other):
            process.communicate()
            assert process.returncode == 0
    store = MessageStore(open_database(tmp_path))
    kept = contents(store)
    assert sorted(kept) == sorted(f"{name}{number}" for name in "ab" for number in range(40))
    for name in "ab":
        assert [one for one in kept if one[0] == name] == [f"{name}{number}" for number in range(40)]

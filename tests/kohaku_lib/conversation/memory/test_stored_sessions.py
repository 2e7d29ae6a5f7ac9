"""Sessions are listed, read and deleted by their owner alone."""

import pytest

from kohaku_lib.conversation.memory.database import open_database
from kohaku_lib.conversation.memory.message_store import Message, MessageStore, Owner
from kohaku_lib.conversation.memory.stored_sessions import StoredSessions


@pytest.fixture
def engine(tmp_path):
    opened = open_database(tmp_path)
    yield opened
    opened.dispose()


def talk(engine, session_id, owner, *messages):
    store = MessageStore(engine)
    store.begin(session_id, owner)
    for text in messages:
        store.add(session_id, Message(text, "user", text, text))


def test_sessions_are_listed_newest_first_with_their_first_message_as_title(engine):
    talk(engine, "a", Owner("acme", "ann"), "What  is\namber?", "And copal?")
    talk(engine, "b", Owner("acme", "ann"), "Who?")
    talk(engine, "c", Owner("acme", None), "Nobody in particular")
    sessions = StoredSessions(engine, "acme", lambda session_id: None)
    sessions.begin("ann")  # without a message it is not listed
    assert [(one.session_id, one.title, one.messages) for one in sessions.of("ann")] == [
        ("b", "Who?", 1),
        ("a", "What is amber?", 2),
    ]
    assert [one.session_id for one in sessions.of(None)] == ["c"]


@pytest.mark.parametrize(
    ("words", "found"), [("amber", ["a"]), ("COPAL what", ["a"]), ("is", ["b", "a"]), ("amber bob", []), ("%", [])]
)
def test_sessions_are_found_by_the_words_of_all_their_messages(engine, words, found):
    talk(engine, "a", Owner("acme", "ann"), "What is amber?", "And copal?")
    talk(engine, "b", Owner("acme", "ann"), "Who is Bob?")
    talk(engine, "c", Owner("acme", "bob"), "What is amber?")
    sessions = StoredSessions(engine, "acme", lambda session_id: None)
    assert [one.session_id for one in sessions.of("ann", words)] == found


@pytest.mark.parametrize(("org_id", "user_id"), [("acme", "bob"), ("acme", None), ("other", "ann")])
def test_a_session_of_another_is_neither_read_nor_deleted(engine, org_id, user_id):
    talk(engine, "a", Owner("acme", "ann"), "What is amber?")
    sessions = StoredSessions(engine, org_id, lambda session_id: None)
    assert sessions.is_of("a", user_id) is False
    assert (sessions.messages("a", user_id), sessions.delete("a", user_id)) == (None, False)


def test_a_deleted_session_is_gone_from_the_database_and_from_memory(engine):
    talk(engine, "a", Owner("acme", "ann"), "What is amber?")
    forgotten = []
    sessions = StoredSessions(engine, "acme", forgotten.append)
    assert [one.content for one in sessions.messages("a", "ann")] == ["What is amber?"]
    assert sessions.delete("a", "ann")
    assert (forgotten, MessageStore(engine).messages("a"), sessions.is_of("a", "ann")) == (["a"], [], False)

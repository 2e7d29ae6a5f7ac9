"""Sessions are listed, read and deleted by their owner alone."""

import pytest
from sqlalchemy import update

from kohaku_lib.answering.answer import Answer
from kohaku_lib.conversation.memory.database import open_database
from kohaku_lib.conversation.memory.message_store import Message, MessageStore, Owner
from kohaku_lib.conversation.memory.served_questions import ServedQuestions
from kohaku_lib.conversation.memory.stored_sessions import StoredSessions
from kohaku_lib.conversation.memory.tables import SERVED
from kohaku_lib.conversation.request import AssistantRequest
from kohaku_lib.conversation.response.response import Response

ANSWER = Answer(question="What is amber?", text="A resin", value="A resin")


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


def test_what_an_earlier_version_recorded_has_no_outcome(engine):
    talk(engine, "a", Owner("acme", "ann"), "What is amber?")
    MessageStore(engine).add("a", Message("x", "assistant", "A resin.", "What is amber?", is_answer=True))
    served = ServedQuestions(engine, "acme")
    response = Response(content="A resin.", question="What is amber?", session_id="a", answer_id="x", answer=ANSWER)
    served.add(AssistantRequest(message="What is amber?", user_id="ann"), response)
    sessions = StoredSessions(engine, "acme", lambda session_id: None)
    assert [(one.answer or {}).get("outcome") for one in sessions.messages("a", "ann")] == [None, "value"]
    with engine.begin() as connection:
        connection.execute(update(SERVED).values(answer_json=None))
    assert [one.answer for one in sessions.messages("a", "ann")] == [None, None]


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

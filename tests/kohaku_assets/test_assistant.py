"""Conversations over the built sample: offline with follow-ups, and with a chat model."""

import base64
import json
import re
import shutil

import pytest

from kohaku_lib.conversation import Assistant, AssistantRequest, RequestError, open_assistant
from kohaku_lib.errors import InputFileError
from kohaku_lib.index import current_version, publish
from kohaku_lib.llm import CallError
from kohaku_lib.project import Session
from kohaku_lib.testing.openai_server import OpenAIServer, prompt_of

# message, how it is understood (None: as it is written), what stands in the response, the document that is cited
TURNS = [
    ("How much electricity did the whole Kohaku Workshop use in 2023?", None, "41800", "kohaku-energy-report"),
    (
        "And in 2022?",
        "How much electricity did the whole Kohaku Workshop use in 2022?",
        "38000",
        "kohaku-energy-report",
    ),
    (
        "What was the power usage effectiveness of the machine room after it was rebuilt?",
        None,
        "1.18",
        "kohaku-energy-report",
    ),
    (
        "And what did it fall from?",
        "What did the power usage effectiveness of the machine room fall from?",
        "1.62",
        "kohaku-energy-report",
    ),
    ("Who maintains the model Gintaras-M?", None, "Milda Stankute", "model-card"),
    ("How many parameters does it have?", "How many parameters does the model Gintaras-M have?", "350", None),
    ("And Gintaras-L?", "How many parameters does the model Gintaras-L have?", "1300", None),
    (
        "How many hours did its training last?",
        "How many hours did the model Gintaras-L's training last?",
        "310",
        "kohaku-energy-report",
    ),
    ("True or false: Baltic amber floats in salt water.", None, "so light that it floats in salt water", "amber-guide"),
    (
        "For how many minutes do the batteries of the emergency supply carry the machine room at full load?",
        None,
        "35",
        "machine-room-log",
    ),
]


@pytest.fixture(scope="module")
def assistant(built, tmp_path_factory):
    """An assistant over a copy: the built project is for all tests, and must hold no conversation."""
    home = tmp_path_factory.mktemp("assistant") / "copy"
    shutil.copytree(built[0].home, home)
    with open_assistant(home) as opened:
        yield opened


def ask(assistant, message, session_id=None, **choices):
    return assistant.respond(AssistantRequest(message=message, session_id=session_id, **choices))


def test_a_session_of_ten_turns_with_follow_ups_is_answered_offline(assistant):
    session_id = None
    for message, understood, content, document in TURNS:
        response = ask(assistant, message, session_id)
        session_id = response.session_id
        assert response.question == (understood or message)
        assert content in response.content.replace(",", ""), response.content
        cited = [source for source in response.sources if source.cited]
        assert document is None or cited[0].document_id == document
        assert response.as_json()["confidence_level"] in ("medium", "high", "low")


def test_the_reader_answers_a_follow_up_by_the_value_of_its_year_or_not_at_all(fresh):
    with open_assistant(fresh().home) as assistant:
        session_id = ask(assistant, TURNS[0][0]).session_id
        assert "38,000" in ask(assistant, "And in 2022?", session_id).content
        assert not ask(assistant, "And in 2019?", session_id).is_answer


def test_a_response_has_its_sources_with_page_box_and_similarity(assistant):
    response = ask(assistant, TURNS[0][0])
    [source] = response.sources
    assert (source.document_name, source.document_title, source.page_number, source.cited) == (
        "kohaku-energy-report.pdf",
        "Energy Report of the Kohaku Workshop, 2023",
        1,
        True,
    )
    assert len(source.box) == 4
    assert source.snippet == source.snippet[:200]
    assert 0.5 < source.similarity_score < 1.0
    assert 0.8 < response.confidence_score < 1.0
    assert response.context_sufficiency.is_sufficient
    assert 1 <= len(response.suggested_questions) <= 3


def test_the_suggested_questions_are_answered_from_the_documents(assistant):
    for question in ask(assistant, TURNS[0][0]).suggested_questions:
        assert ask(assistant, question).sources


def test_what_the_documents_do_not_hold_is_not_answered(assistant):
    response = ask(assistant, "Who won the chess championship of Iceland?")
    assert not response.is_answer
    assert (response.confidence_score, response.confidence_level) == (0.0, "low")


def test_sessions_do_not_share_their_turns(assistant):
    first = ask(assistant, TURNS[4][0])
    assert ask(assistant, "How many parameters does it have?").question == "How many parameters does it have?"
    assert "Gintaras-M" in ask(assistant, "How many parameters does it have?", first.session_id).question


def test_a_session_of_another_user_is_refused(assistant):
    session_id = ask(assistant, TURNS[0][0], user_id="ann").session_id
    with pytest.raises(RequestError, match="belongs to another user"):
        ask(assistant, "And in 2022?", session_id, user_id="bob")
    assert ask(assistant, TURNS[0][0], user_id="bob").session_id != session_id


def test_a_session_goes_on_after_a_restart(fresh):
    home = fresh().home
    with open_assistant(home) as assistant:
        session_id = ask(assistant, TURNS[0][0]).session_id
    with open_assistant(home) as assistant:
        assert ask(assistant, TURNS[1][0], session_id).question == TURNS[1][1]


def test_a_filter_that_no_document_fulfils_is_refused(assistant):
    with pytest.raises(InputFileError, match="no document of the index"):
        ask(assistant, "Why?", collection_filter="none such")


@pytest.mark.parametrize("level", ["basic", "standard", "enhanced", "maximum"])
def test_every_level_answers_offline(assistant, level):
    assert "41,800" in ask(assistant, TURNS[0][0], intelligence_level=level).content


def test_without_a_model_the_general_mode_says_what_it_needs(assistant):
    with pytest.raises(
        RequestError, match=r"mode 'general' needs a language model, and answers come from the built-in reader"
    ):
        ask(assistant, "Tell me a joke", mode="general")


def test_a_question_in_other_words_is_answered_from_the_cache_until_an_index_is_published(fresh):
    project, now = fresh("assistant.cache_mode=adaptive"), [0.0]
    assistant = Assistant(Session(project.settings, project.home), cache_clock=lambda: now[0])
    first = ask(assistant, TURNS[0][0])
    again = ask(assistant, "How much electricity was used by the whole Kohaku Workshop in 2023?")
    assert (first.cached, again.cached) == (False, True)
    assert (again.content, again.sources) == (first.content, first.sources)
    assert again.answer_id != first.answer_id
    assert not ask(assistant, TURNS[0][0].replace("2023", "2022")).cached
    assert not ask(assistant, TURNS[0][0], intelligence_level="basic").cached
    assert assistant.cache_counts.semantic == 1
    now[0] = 300.0
    assert not ask(assistant, TURNS[0][0]).cached
    version = current_version(project.snapshots)
    shutil.copytree(project.snapshots / version, project.snapshots / "copy")
    publish(project.snapshots, "copy")
    assert not ask(assistant, TURNS[0][0]).cached


def test_what_was_not_answered_is_not_kept(assistant):
    question = "Who won the chess championship of Greenland?"
    assert not ask(assistant, question).cached
    assert not ask(assistant, question).cached


def test_an_agent_answers_the_parts_of_a_question_offline(assistant):
    question = (
        "How much electricity did the whole Kohaku Workshop use in 2022 and in 2023, and who maintains Gintaras-M?"
    )
    response = ask(assistant, question, mode="agent")
    for value in ("38,000", "41,800", "Milda Stankute"):
        assert value in response.content
    assert [step["query"] for step in response.trace["steps"]] == [
        "How much electricity did the whole Kohaku Workshop use in 2022?",
        "How much electricity did the whole Kohaku Workshop use in 2023?",
        "who maintains Gintaras-M?",
    ]
    assert {source.document_id for source in response.sources if source.cited} >= {"kohaku-energy-report", "model-card"}


MAINTAINED = "Milda Stankute maintains the model [1]."


def test_an_agent_searches_as_its_model_asks_and_then_answers(fresh):
    replies = [
        '{"search": "Who maintains Gintaras-M?"}',
        '{"search": "parameters of Gintaras-M"}',
        '{"done": true}',
        MAINTAINED,
    ]
    with OpenAIServer(reply=lambda request: replies.pop(0)) as server:
        response = ask(chatting(fresh().home, server), "Tell me about Gintaras-M, please", mode="agent")
        assert len(server.requests) == 4
    assert [step["query"] for step in response.trace["steps"]] == [
        "Who maintains Gintaras-M?",
        "parameters of Gintaras-M",
    ]
    assert response.content == "Milda Stankute maintains the model [Source 1]."


def calling(query):
    """A completion that calls the search as a tool, as servers with native tool calling reply."""

    def adjust(completion):
        message = completion["choices"][0]["message"]
        if message["content"] == query:
            call = {"name": "search_knowledge_base", "arguments": json.dumps({"query": query})}
            completion["choices"][0]["message"] = {
                "content": None,
                "tool_calls": [{"type": "function", "function": call}],
            }

    return adjust


def test_an_agent_calls_its_search_as_a_tool_where_the_model_can(fresh):
    replies = ["Who maintains Gintaras-M?", '{"done": true}', MAINTAINED]
    with OpenAIServer(reply=lambda request: replies.pop(0), adjust=calling(replies[0])) as server:
        response = ask(chatting(fresh().home, server), "Tell me about Gintaras-M, please", mode="agent")
        offered = [request.get("tools") for request in server.requests]
    assert [step["query"] for step in response.trace["steps"]] == ["Who maintains Gintaras-M?"]
    assert [tools[0]["function"]["name"] for tools in offered[:2]] == ["search_knowledge_base"] * 2
    assert offered[2] is None


@pytest.mark.parametrize("choice", ["auto", "off"])
def test_a_server_without_tools_or_an_agent_without_them_speaks_json(fresh, choice):
    replies = ['{"search": "Who maintains Gintaras-M?"}', '{"done": true}', MAINTAINED]
    refusal = [{"kind": "status", "status": 400, "message": "tools are not supported", "param": "tools"}]
    with OpenAIServer(refusal if choice == "auto" else (), reply=lambda request: replies.pop(0)) as server:
        assistant = chatting(fresh().home, server, **{"assistant.tool_calls": choice})
        response = ask(assistant, "Tell me about Gintaras-M, please", mode="agent")
        offered = ["tools" in request for request in server.requests]
    assert [step["query"] for step in response.trace["steps"]] == ["Who maintains Gintaras-M?"]
    assert offered == ([True] if choice == "auto" else []) + [False] * 3


GIF = base64.b64decode("R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=")
SEEN = "The bars rise until the second quarter [Source 1]."


def seen(request):
    """What a model says that cites the figure it was shown, the second image."""
    [text, *_] = request["messages"][-1]["content"]
    return SEEN.replace("[Source 1]", re.search(r"image 2 is (\[Source \d+\])", text["text"])[1])


def test_a_model_that_sees_is_shown_the_images_of_the_request_and_of_the_documents(fresh):
    with OpenAIServer(reply=seen) as server:
        assistant = chatting(fresh().home, server)
        message = "What does Figure 1 show of the electricity of the machine room by quarter?"
        response = ask(assistant, message, mode="vision", images=(GIF,))
        again = ask(assistant, message, mode="vision", images=(GIF + b"x",))
        text, *pictures = server.requests[0]["messages"][-1]["content"]
    assert pictures[0]["image_url"]["url"].startswith("data:image/gif;base64,")
    assert len(pictures) == 2
    assert pictures[1]["image_url"]["url"].startswith("data:image/webp;base64,")
    assert "Images: image 1 is of the person who asks; image 2 is [Source " in text["text"]
    assert (response.content, response.is_answer, again.cached) == (SEEN, True, False)


@pytest.mark.parametrize(
    ("mode", "images", "sentence"),
    [
        ("chat", (GIF,), "images are looked at in mode 'vision', got mode 'chat'"),
        ("vision", (b"<svg/>",), "image 1 is no PNG, JPEG, WebP or GIF"),
        ("vision", (GIF, GIF[:6] + bytes(20)), "image 2 is damaged and cannot be opened; save it anew"),
        ("vision", (b"\x89PNG\r\n\x1a\nno image",), "image 1 is damaged and cannot be opened"),
        ("vision", (GIF[:6] + b"\xff\xff" * 2 + GIF[10:],), "image 1 has more than 50000000 pixels; save it smaller"),
        ("vision", (GIF[:6] + b"\x00\x20" * 2 + GIF[10:],), "image 1 has more than 50000000 pixels; save it smaller"),
        ("vision", (GIF,) * 5, "a request has at most answer.max_images = 4 images, got 5"),
        ("vision", (GIF + bytes(2**23),), "images have at most answer.max_image_mb = 8.0 MiB together, got 8.0"),
        ("vision", (), "mode 'vision' needs a language model that sees, and answers come from the built-in reader"),
    ],
)
def test_what_cannot_be_looked_at_is_refused(assistant, mode, images, sentence):
    with pytest.raises(RequestError, match=sentence):
        ask(assistant, "What is this?", mode=mode, images=images)


def test_every_served_question_is_a_row_with_the_feedback_of_its_user(fresh):
    with open_assistant(fresh().home) as assistant:
        first = ask(assistant, TURNS[0][0], user_id="ann")
        ask(assistant, TURNS[1][0], first.session_id, user_id="ann")
        ask(assistant, TURNS[0][0], user_id="bob")
        assistant.give_feedback(first.answer_id, -1, user_id="ann", correction="41,800 kWh")
        rows = assistant.served_questions().to_pylist()
    assert [row["message"] for row in rows] == [TURNS[0][0], TURNS[1][0], TURNS[0][0]]
    assert rows[1]["question"] == TURNS[1][1]
    assert [row["cached"] for row in rows] == [False, False, True]
    assert (rows[0]["rating"], rows[0]["correction"]) == (-1, "41,800 kWh")
    assert "kohaku-energy-report" in rows[0]["sources_json"]
    assert "retrieve" in rows[0]["timings_json"]


def chatting(home, server, **settings):
    llm = {
        "llm.provider": "openai",
        "answer.by": "model",
        "llm.base_url": server.base_url,
        "llm.model": "tiny-1b",
        "llm.call_retries": 0,
    }
    return open_assistant(home, settings={"planner.kind": "rule", **llm, **settings})


CITED = "Sure! The workshop used 41,800 kWh in 2023 [1].\nSUGGESTED_QUESTIONS: And in 2022?|Why?"


@pytest.mark.parametrize("planner", ["rule", "chat", "auto"])
def test_opening_asks_no_chat_model_anything(planner, fresh):
    with OpenAIServer() as server, chatting(fresh().home, server, **{"planner.kind": planner}):
        assert server.requests == []


def test_a_chat_model_answers_from_numbered_sources_in_parts(fresh):
    parts = []
    with OpenAIServer(reply=lambda request: CITED) as server:
        assistant = chatting(fresh().home, server)
        response = assistant.respond(AssistantRequest(message=TURNS[0][0]), parts.append)
        prompt = prompt_of(server.requests[0])
    assert response.content == "The workshop used 41,800 kWh in 2023 [Source 1]."
    assert "".join(parts) == response.content
    assert response.suggested_questions == ("And in 2022?", "Why?")
    assert "[Source 1: Energy Report of the Kohaku Workshop, 2023 / 1 Introduction (page 1)]" in prompt
    assert response.sources[0].cited
    assert not response.sources[1].cited
    assert response.confidence_score == pytest.approx(response.sources[0].similarity_score)
    assert response.answer.confidence is None  # as by `kohaku ask`: the engine knows none for this text


@pytest.mark.parametrize(("value", "by"), [("12", "tiny-1b"), ("is_blank", "the built-in reader")])
def test_the_reader_checks_and_completes_the_values_of_a_model(fresh, value, by):
    reply = {"answer": value, "answer_value": value, "ref_id": ["1"], "supporting_materials": ""}
    with OpenAIServer(reply=lambda request: json.dumps(reply)) as server:
        response = ask(
            chatting(fresh().home, server, **{"answer.by": "checked", "answer.form": "value"}),
            "How many servers does the machine room hold?",
        )
    assert (response.answer.value, response.answer.answered_by) == ("12", by)
    assert response.as_json()["answer"]["answered_by"] == by


def test_a_model_that_claims_what_its_source_does_not_say_is_not_trusted(fresh):
    with OpenAIServer(reply=lambda request: "It used 99,999 kWh [Source 1].") as server:
        response = ask(chatting(fresh().home, server), TURNS[0][0])
    assert response.answer.outcome == "passage"
    assert response.answer.warning.endswith("The model said “99999”, which no passage states.")
    assert "99,999" not in response.content


def test_a_model_sees_the_turns_before(fresh):
    with OpenAIServer(reply=lambda request: CITED) as server:
        assistant = chatting(fresh().home, server)
        first = ask(assistant, TURNS[0][0])
        second = ask(assistant, "And in 2022?", first.session_id)
        prompt = prompt_of(server.requests[1])
    assert second.question == TURNS[1][1]
    assert "The workshop used 41,800 kWh in 2023 [Source 1]." in prompt


def test_a_large_model_completes_follow_up_questions(fresh):
    replies = [CITED, "How much electricity did the workshop use in 1999?", CITED]
    with OpenAIServer(reply=lambda request: replies.pop(0)) as server:
        assistant = chatting(fresh().home, server, **{"llm.model": "big-70b"})
        first = ask(assistant, TURNS[0][0])
        assert (
            ask(assistant, "And in 1999?", first.session_id).question
            == "How much electricity did the workshop use in 1999?"
        )


def test_a_cut_reply_is_an_error_and_no_turn(fresh):
    with OpenAIServer([{"kind": "cut", "parts": 3, "text": CITED}], reply=lambda request: CITED) as server:
        assistant = chatting(fresh().home, server)
        session_id = ask_failing(assistant)
        assert ask(assistant, TURNS[0][0], session_id).content.startswith("The workshop used 41,800")
        assert "conversation so far" not in prompt_of(server.requests[1])


def ask_failing(assistant):
    with pytest.raises(CallError, match="its reply was cut after"):
        assistant.respond(AssistantRequest(message=TURNS[0][0], session_id="s1"), lambda part: None)
    return "s1"


def test_voting_takes_the_reply_that_agrees_most(fresh):
    replies = ["It used 41,800 kWh [1].", "It used 5 kWh [1].", "It used 41,800 kWh in 2023 [1]."]
    with OpenAIServer(reply=lambda request: replies[request["seed"]]) as server:
        response = ask(chatting(fresh().home, server), TURNS[0][0], ensemble_voting=True)
        assert len(server.requests) == 3
    assert "41,800" in response.content


def test_a_model_answers_generally_without_documents(fresh):
    with OpenAIServer(reply=lambda request: "A joke.") as server:
        response = ask(chatting(fresh().home, server), "Tell me a joke", mode="general")
        assert "sources" not in prompt_of(server.requests[0])
    assert (response.content, response.sources, response.index_version) == ("A joke.", (), None)

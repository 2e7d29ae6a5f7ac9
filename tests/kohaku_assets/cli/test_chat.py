"""`kohaku chat` takes messages and commands line by line, from a terminal or a pipe."""

import base64
import json

import pytest
from click.testing import CliRunner

from kohaku_assets.cli import main
from kohaku_lib.conversation import open_assistant
from kohaku_lib.testing.openai_server import OpenAIServer

QUESTION = "How much electricity did the whole Kohaku Workshop use in 2023?"


@pytest.fixture
def chat(fresh, monkeypatch):
    monkeypatch.chdir(fresh().home)

    def talk(*lines, options=(), code=0):
        result = CliRunner().invoke(main, ["chat", *options], input="\n".join(lines) + "\n")
        assert result.exit_code == code, result.output
        return result

    return talk


def test_messages_are_answered_in_one_conversation_with_sources_and_reasons(chat):
    result = chat(QUESTION, "", "And in 2022?", "/sources", "/why", "/quit", "never read")
    assert "41,800 kWh [Source 1]" in result.stdout
    assert "38,000 kWh [Source 1]" in result.stdout
    assert "*[1] Energy Report of the Kohaku Workshop, 2023, 1 Introduction, page 1 (similarity 0." in result.stdout
    assert "understood as: How much electricity did the whole Kohaku Workshop use in 2022?" in result.stdout
    assert "\nsupported: 38,000 kWh [Source 1]" in result.stdout
    assert "confidence medium" in result.stderr
    assert "never read" not in result.output


def test_a_picture_is_for_a_model_that_sees(chat, tmp_path):
    (tmp_path / "chart.gif").write_bytes(base64.b64decode("R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs="))
    options = ("--image", str(tmp_path / "chart.gif"), "--mode")
    assert "needs a language model that sees" in chat("What is this?", options=(*options, "vision"), code=2).stderr
    assert "images are looked at in mode 'vision'" in chat("What is this?", options=(*options, "chat"), code=2).stderr


def test_a_new_conversation_forgets_the_turns_before(chat):
    result = chat(QUESTION, "/new", "And in 2022?", "/why")
    assert "understood as: And in 2022?" in result.stdout


def test_commands_before_the_first_message_say_so(chat):
    result = chat("/sources", "/why", "/level genius", "/level basic", "/help")
    for sentence in (
        "has no sources",
        "nothing was asked yet",
        "got 'genius'",
        "level: basic",
        "/new: a new conversation",
    ):
        assert sentence in result.stderr
    assert result.stdout == ""


def test_json_is_one_line_per_message_and_nothing_else(chat):
    result = chat(QUESTION, "And in 2022?", options=["--json", "--level", "standard"])
    first, second = map(json.loads, result.stdout.splitlines())
    assert first["session_id"] == second["session_id"]
    assert "38,000" in second["content"]


def test_what_the_user_says_of_an_answer_is_noted(chat):
    result = chat("/good", QUESTION, "/good", "/right 42 kWh")
    assert result.stderr.count("noted") == 2
    assert "nothing was asked yet" in result.stderr
    with open_assistant() as assistant:
        [row] = assistant.served_questions().to_pylist()
    assert (row["rating"], row["correction"]) == (-1, "42 kWh")


def test_a_session_goes_on_in_another_process(chat):
    session_id = json.loads(chat(QUESTION, options=["--json"]).stdout)["session_id"]
    later = json.loads(chat("And in 2022?", options=["--json", "--session", session_id]).stdout)
    assert "38,000" in later["content"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--level", "genius"], "intelligence_level must be one of"),
        (["--mode", "general"], "mode 'general' needs a language model"),
        (["--folder", "nowhere"], "no document of the index is in the folder 'nowhere'"),
    ],
)
def test_a_wrong_choice_ends_a_pipe_with_one_sentence(chat, options, sentence):
    result = chat(QUESTION, options=options, code=2)
    assert sentence in result.stderr


def test_the_reply_of_a_model_is_shown_as_it_arrives(chat):
    with OpenAIServer(reply=lambda request: "It used 41,800 kWh [1].") as server:
        settings = ("llm.provider=openai", "answer.by=model", f"llm.base_url={server.base_url}", "planner.kind=rule")
        options = [part for setting in settings for part in ("--set", setting)]
        said = chat(QUESTION, options=options)
        assert "It used 41,800 kWh [Source 1].\n" in said.stdout
        assert said.stderr.startswith("  [kohaku-energy-report")  # the best passage, before the model has written
        assert server.requests[0]["stream"]

"""Blank answers, and the answerer that the settings name."""

import pytest

from kohaku_lib.answering import ChatAnswerer, ReplayAnswerer, blank_answer, build_answerer, is_blank_answer
from kohaku_lib.errors import ModelError, SettingsError
from kohaku_lib.settings import AnswerSettings, Settings
from kohaku_lib.tables import StructuredAnswer


@pytest.mark.parametrize(
    ("value", "refs", "is_blank"),
    [
        ("4", ("a",), False),
        ("0", ("a",), False),
        ("4", (), True),
        ("4", ("is_blank",), True),
        ("4", ("", "a"), False),
        ("is_blank", ("a",), True),
        ("", ("a",), True),
        ("n/a", ("a",), True),
    ],
)
def test_an_answer_without_a_value_or_a_document_is_blank(value, refs, is_blank):
    assert is_blank_answer(StructuredAnswer("It is.", value, refs, "")) is is_blank


def test_an_abstention_is_blank_in_every_part_and_keeps_its_reason():
    answer = blank_answer("the server is down", "raw")
    assert is_blank_answer(answer)
    assert (answer.answer, answer.explanation, answer.ref_id) == ("is_blank", "is_blank", ())
    assert (answer.error, answer.raw_response) == ("the server is down", "raw")
    assert blank_answer().error is None


def test_who_answers_is_what_the_settings_say(tmp_path):
    run = tmp_path / "run.csv"
    run.write_text("id,answer_value\nq1,4\n")
    replay = Settings.model_validate({"answer": {"by": "replay"}, "replay": {"runs": [str(run)]}})
    assert isinstance(build_answerer(replay), ReplayAnswerer)
    assert not isinstance(build_answerer(Settings()), (ReplayAnswerer, ChatAnswerer))


def test_an_answerer_without_what_it_needs_is_refused():
    with pytest.raises(ModelError):
        build_answerer(Settings.model_validate({"llm": {"provider": "openai", "model": "m"}}))
    with pytest.raises(SettingsError, match=r"replay\.runs"):
        build_answerer(Settings(answer=AnswerSettings(by="replay")))

"""What a request may say, and the sentence that says what it may not."""

import pytest

from kohaku_lib.conversation.request import AssistantRequest, RequestError, check_request
from kohaku_lib.index import SearchFilter


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"message": " \n"}, "the message is empty; ask something"),
        ({"message": "x" * 11}, "a message has at most assistant.max_message_chars = 10 characters, got 11"),
        ({"mode": "telepathy"}, "mode must be one of 'chat'"),
        (
            {"intelligence_level": "genius"},
            "intelligence_level must be one of 'basic', 'standard', 'enhanced', 'maximum'",
        ),
        ({"temperature_override": 2.1}, "temperature_override must be from 0 to 2, got 2.1"),
        ({"temperature_override": float("nan")}, "temperature_override must be from 0 to 2, got nan"),
    ],
)
def test_a_wrong_request_is_refused_in_one_sentence(choices, sentence):
    with pytest.raises(RequestError, match=sentence):
        check_request(AssistantRequest(**({"message": "Hi"} | choices)), 10)


def test_a_message_of_the_greatest_length_is_taken():
    check_request(AssistantRequest(message="x" * 10, intelligence_level="basic", temperature_override=2.0), 10)


def test_collection_and_folder_are_conditions_of_the_search():
    request = AssistantRequest(message="Hi", collection_filter="reports", folder_id="2023")
    assert request.where == SearchFilter(collections=("reports",), folders=("2023",))
    assert AssistantRequest(message="Hi", document_ids=("a", "b")).where == SearchFilter(documents=("a", "b"))
    assert AssistantRequest(message="Hi", collection_filter="", folder_id=None).where == SearchFilter()

import pytest
from answering_material import chat_request

from kohaku_lib.llm.estimates import tokens_left_unread
from kohaku_lib.llm.resilience.attempt import AttemptError, check_text


def completion(text=None, **more):
    choice = {"message": {"content": text, "refusal": more.pop("refusal", None)}, **more}
    return {"choices": [choice]}


@pytest.mark.parametrize("finish_reason", ["stop", "length", "content_filter", None])
def test_a_text_is_a_reply_however_it_ended(finish_reason):
    check_text(completion("Yes.", finish_reason=finish_reason))


@pytest.mark.parametrize(
    ("body", "kind", "told"),
    [
        (completion(" ", finish_reason="stop"), "retry", "is empty"),
        (completion(None), "retry", "is empty"),
        ({"choices": []}, "retry", "is empty"),
        ({"choices": [None]}, "retry", "is empty"),
        (completion("", finish_reason="length"), "refused", "raise llm.max_tokens"),
        (completion(None, finish_reason="content_filter"), "refused", "the server's content filter"),
        (
            completion(None, refusal="I cannot help\nwith that."),
            "refused",
            "the model refused (I cannot help with that)",
        ),
    ],
)
def test_a_blank_reply_is_asked_again_only_where_that_may_help(body, kind, told):
    with pytest.raises(AttemptError) as caught:
        check_text(body)
    assert caught.value.failure.kind == kind
    assert told in caught.value.failure.message


@pytest.mark.parametrize(
    ("chars", "read", "unread"),
    [(28_000, 2048, 4962), (28_000, 2804, None), (28_000, None, None), (5_000, 10, None)],
)
def test_a_prompt_that_its_server_cut_is_told_by_its_tokens(chars, read, unread):
    request = chat_request(system="", user="a" * chars)
    assert tokens_left_unread(request, read) == unread

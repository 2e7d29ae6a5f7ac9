from answering_material import chat_request
from fake_time import FakeTime

from kohaku_lib.llm import CallLedger, ImagePart, LedgeredChat, OpenAIChat
from kohaku_lib.llm.ledger.calls import call_key
from kohaku_lib.settings import LlmSettings
from kohaku_lib.testing.openai_server import OpenAIServer

ONE, TWO = ImagePart("image/webp", b"one"), ImagePart("image/png", b"two")


def chat_at(server):
    return OpenAIChat(LlmSettings(provider="openai", base_url=server.base_url), FakeTime().environment())


def test_a_prompt_without_images_is_sent_as_plain_text():
    with OpenAIServer() as server:
        chat_at(server).complete(chat_request())
    assert server.requests[0]["messages"][1]["content"] == "[ref_id=doc] It weighs 42 kg."


def test_images_follow_the_prompt_in_order_each_with_its_own_type():
    with OpenAIServer() as server:
        chat_at(server).complete(chat_request(images=(ONE, TWO)))
    kinds = [part["type"] for part in server.requests[0]["messages"][1]["content"]]
    urls = [part["image_url"]["url"] for part in server.requests[0]["messages"][1]["content"][1:]]
    assert kinds == ["text", "image_url", "image_url"]
    assert urls == ["data:image/webp;base64,b25l", "data:image/png;base64,dHdv"]


def test_the_images_bytes_and_order_tell_calls_apart():
    plain, one, other, both, turned = (
        call_key("openai", chat_request(images=images)) for images in ((), (ONE,), (TWO,), (ONE, TWO), (TWO, ONE))
    )
    assert len({plain, one, other, both, turned}) == 5
    assert one == call_key("openai", chat_request(images=(ImagePart("image/webp", b"one"),)))


def test_the_ledger_answers_the_same_image_and_asks_for_another(tmp_path):
    with OpenAIServer() as server:
        chat = LedgeredChat(chat_at(server), CallLedger(tmp_path))
        replies = [chat.complete(chat_request(images=(part,))) for part in (ONE, ONE, TWO)]
        assert len(server.billed) == 2
    assert [reply.replayed for reply in replies] == [False, True, False]

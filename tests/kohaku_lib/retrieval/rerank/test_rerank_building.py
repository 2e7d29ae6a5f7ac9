"""Which rerankers the settings select, whether a chat model is called, and the weight of their scores."""

import pytest

from kohaku_lib.retrieval.rerank import asks_chat, chosen_kinds, rerank_share
from kohaku_lib.settings import RerankSettings

SERVER = {"base_url": "http://a", "served_model": "m"}


@pytest.mark.parametrize(
    ("settings", "has_chat", "kinds"),
    [
        ({"kind": "off", **SERVER}, True, []),
        ({"kind": "chat"}, False, ["chat"]),  # a named kind is never replaced
        ({"kind": "auto"}, False, []),
        ({"kind": "auto"}, True, ["chat"]),
        ({"kind": "auto", **SERVER}, True, ["served", "chat"]),
        ({"kind": "auto", "base_url": "http://a"}, False, []),  # a server without a model
        ({"kind": "auto", **SERVER, "local_model": "x"}, True, ["served", "chat", "local"]),
        ({"kind": "auto", "local_model": "x"}, False, ["local"]),
    ],
)
def test_auto_tries_what_is_set_up_in_the_order_server_chat_local(settings, has_chat, kinds):
    assert list(chosen_kinds(RerankSettings(**settings), has_chat=has_chat)) == kinds


@pytest.mark.parametrize(
    ("settings", "has_chat", "asks"),
    [
        ({}, True, False),
        ({"verify": "quick"}, True, False),
        ({"verify": "standard"}, False, True),
        ({"verify": "thorough"}, True, True),
        ({"kind": "chat"}, True, True),
        ({"kind": "auto"}, True, True),
        ({"kind": "auto"}, False, False),
        ({"kind": "local", "local_model": "x"}, True, False),
    ],
)
def test_a_chat_model_is_called_to_judge_or_to_grade(settings, has_chat, asks):
    assert asks_chat(RerankSettings(**settings), has_chat=has_chat) is asks


@pytest.mark.parametrize(
    ("settings", "share"),
    [
        ({"kind": "off"}, 1.0),
        ({"kind": "auto"}, 1.0),
        ({"kind": "chat"}, 1.0),
        ({"kind": "embedding_similarity"}, 0.35),
        ({"kind": "embedding_similarity", "weight": 0.0}, 0.0),  # 0 is a weight, not a missing one
    ],
)
def test_the_weight_is_that_of_the_settings_else_that_of_the_kind(settings, share):
    assert rerank_share(RerankSettings(**settings)) == share

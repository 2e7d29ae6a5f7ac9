"""Settings that contradict each other: the keys that are named, and the nearest combinations that do not."""

import pytest

from kohaku_lib.composition.combinations import find_contradiction
from kohaku_lib.settings import Settings

CHAT = {"llm": {"provider": "openai", "model": "m"}}


def keys(**sections):
    contradiction = find_contradiction(Settings(**sections))
    return None if contradiction is None else contradiction.keys


def test_the_defaults_contradict_nothing():
    assert keys() is None


@pytest.mark.parametrize(
    ("sections", "named"),
    [
        (
            {"retrieval": {"paragraph_search_mode": "both"}, "embedding": {"paragraph_mode": "full"}},
            ("retrieval.paragraph_search_mode", "embedding.paragraph_mode"),
        ),
        (
            {"retrieval": {"paragraph_search_mode": "full"}},
            ("retrieval.paragraph_search_mode", "embedding.paragraph_mode"),
        ),
        ({"embedding": {"images": "direct"}}, ("embedding.images", "embedding.model")),
        ({"embedding": {"images": "direct", "model": "openai:x"}}, ("embedding.images", "embedding.model")),
        ({"documents": {"tile_size": 100, "tile_overlap": 51}}, ("documents.tile_overlap", "documents.tile_size")),
        ({"planner": {"kind": "chat"}}, ("planner.kind", "llm.provider")),
        ({"images": {"captions": "vision"}}, ("images.captions", "llm.provider")),
        ({"graph": {"extractor": "chat"}}, ("graph.extractor", "llm.provider")),
        ({"llm": {"batch": True}}, ("llm.batch", "llm.provider")),
        ({"answer": {"by": "replay"}}, ("answer.by", "replay.runs")),
        ({"answer": {"by": "model"}}, ("answer.by", "llm.provider")),
        ({**CHAT, "answer": {"by": "reader"}, "planner": {"kind": "chat"}}, ("planner.kind", "answer.by")),
        ({"answer": {"send_images": True}}, ("answer.send_images", "llm.provider")),
        ({"llm": {"provider": "bedrock"}, "images": {"captions": "vision"}}, ("images.captions", "llm.provider")),
        ({"llm": {"provider": "openrouter", "batch": True}}, ("llm.batch", "llm.provider")),
        ({"llm": {"provider": "openai", "model": "maker/m"}}, ("llm.provider", "llm.model")),
        (
            {**CHAT, "answer": {"send_images": True}},
            ("answer.send_images", "retrieval.top_k_images"),
        ),
        ({"rerank": {"kind": "local"}}, ("rerank.kind", "rerank.local_model")),
        ({"rerank": {"kind": "chat"}}, ("rerank.kind", "llm.provider")),
        ({"rerank": {"verify": "standard"}}, ("rerank.verify", "llm.provider")),
        ({"rerank": {"score_gap": True}}, ("rerank.score_gap", "rerank.kind")),
        ({"rerank": {"safety_threshold": 0.0}}, ("rerank.safety_threshold", "rerank.kind")),
    ],
)
def test_a_contradiction_names_its_keys_and_each_of_them_in_the_sentence(sections, named):
    contradiction = find_contradiction(Settings(**sections))
    assert contradiction.keys == named
    assert all(key in contradiction.sentence for key in named)


@pytest.mark.parametrize(
    "sections",
    [
        {"retrieval": {"paragraph_search_mode": "full"}, "embedding": {"paragraph_mode": "both"}},
        {"embedding": {"images": "direct", "model": "clip"}},
        {"documents": {"tile_size": 100, "tile_overlap": 50}},
        {**CHAT, "planner": {"kind": "chat"}},
        {"llm": {"provider": "openai", "model": "maker/m", "base_url": "http://a"}},
        {"llm": {"provider": "openrouter", "model": "maker/m"}},
        {"llm": {"provider": "openai", "model": "maker/m"}, "answer": {"by": "reader"}},
        {**CHAT, "answer": {"send_images": True}, "retrieval": {"top_k_images": 1}},
        {"rerank": {"kind": "embedding_similarity", "score_gap": True}},
        {"rerank": {"verify": "quick"}},
    ],
)
def test_the_nearest_valid_combination_is_accepted(sections):
    assert keys(**sections) is None


def test_chunks_of_parent_and_child_must_fit_into_each_other():
    named = ("tree.child_overlap_tokens", "tree.child_tokens", "tree.parent_tokens")
    sizes = {"parent_tokens": 100, "child_tokens": 100, "child_overlap_tokens": 99}
    assert keys(tree={"view": "parent_child", **sizes}) is None
    assert keys(tree={"view": "parent_child", **sizes, "child_overlap_tokens": 100}) == named
    assert keys(tree={"view": "parent_child", **sizes, "child_tokens": 101}) == named
    assert keys(tree={"view": "hierarchy", **sizes, "child_tokens": 101}) is None


def test_a_fusion_with_all_weights_0_would_search_nothing():
    off = {"dense_weight": 0.0, "lexical_weight": 0.0, "graph_weight": 0.0}
    assert keys(retrieval={"fusion": "minmax", **off}) is not None
    assert keys(retrieval={"fusion": "minmax", **off, "lexical_weight": 0.1}) is None


def test_figures_go_to_no_model_that_is_known_to_see_none():
    shown = {"answer": {"send_images": True}, "retrieval": {"top_k_images": 1}}
    blind = {"provider": "openai", "model": "gpt-3.5-turbo"}
    assert keys(**shown, llm=blind) == ("answer.send_images", "llm.model", "llm.models")
    assert keys(**shown, llm=blind | {"models": {"gpt-3.5-turbo": {"vision": True}}}) is None
    assert keys(**shown, llm=blind | {"model": "gpt-4o"}) is None

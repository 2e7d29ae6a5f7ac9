"""Engines whose settings contradict each other: the keys that are named."""

import pytest

from kohaku_lib.composition.combinations import find_contradiction
from kohaku_lib.composition.engine_combinations import engine_contradictions, switch_by_weight
from kohaku_lib.settings import Settings


def keys(**sections):
    return [found for found, _ in engine_contradictions(Settings(**sections))]


@pytest.mark.parametrize("weight", switch_by_weight())
def test_a_channel_with_a_weight_needs_what_it_searches(weight):
    section, switch = switch_by_weight()[weight].split(".")
    given = {"retrieval": {weight.removeprefix("retrieval."): 0.2}}
    assert keys(**given) == [(weight, switch_by_weight()[weight])]
    assert keys(**given, **{section: {switch: True}}) == []


def test_themes_need_the_knowledge_graph():
    assert keys(lightrag={"enabled": True}, graph={"enabled": False}) == [("lightrag.enabled", "graph.enabled")]


def test_token_vectors_need_a_local_model():
    assert keys(late={"enabled": True}, embedding={"model": "openai:small"}) == [("late.enabled", "embedding.model")]


def test_late_interaction_needs_another_channel():
    alone = {"fusion": "minmax", "dense_weight": 0, "lexical_weight": 0, "graph_weight": 0, "late_weight": 1}
    assert keys(late={"enabled": True}, retrieval=alone) == [("retrieval.late_weight",)]
    assert keys(late={"enabled": True}, retrieval=alone | {"lexical_weight": 0.1}) == []


@pytest.mark.parametrize("section", ["raptor", "lightrag"])
def test_summaries_by_a_model_need_a_chat_model(section):
    sections = {section: {"enabled": True, "summariser": "chat"}}
    found = find_contradiction(Settings(**sections))
    assert found is not None
    assert found.keys == (f"{section}.summariser", "llm.provider")
    assert find_contradiction(Settings(**sections, llm={"provider": "openai", "model": "m"})) is None

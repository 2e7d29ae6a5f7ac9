"""The tool for agents searches the built sample, for its tenant alone."""

import json
import re
import shutil

import pytest

from kohaku_lib.conversation import TOOL_SCHEMA, RequestError, open_assistant

QUERY = "Who maintains the model Gintaras-M?"


@pytest.fixture(scope="module")
def copied(built, tmp_path_factory):
    """A copy of the built project, which must hold no conversation."""
    folder = tmp_path_factory.mktemp("tool") / "copy"
    shutil.copytree(built[0].home, folder)
    return folder


@pytest.fixture(scope="module")
def assistant(copied):
    with open_assistant(copied) as opened:
        yield opened


def test_an_item_is_the_paragraph_around_the_node_that_fits(assistant):
    found = assistant.search_knowledge_base(QUERY, "default")
    assert (len(found.items), found.reason) == (5, None)
    best = found.items[0]
    assert (best.source, best.document_id, best.section_heading) == (
        "kohaku",
        "model-card",
        "Model card of Gintaras-M / Contact",
    )
    assert re.fullmatch(r"model-card:sec\d+:p\d+:s\d+", best.id)  # the sentence; the text is of its paragraph
    assert "Milda Stankute, who maintains the model" in best.text
    assert [item.score for item in found.items] == sorted((item.score for item in found.items), reverse=True)


def test_an_item_names_the_system_of_its_profile(copied):
    offline = {"embedding.model": "minilm", "embedding.dim": 384, "answer.by": "reader"}
    profile = {"profile": "triple_hybrid", **offline}
    with open_assistant(copied, settings=profile) as assistant:
        found = assistant.search_knowledge_base(QUERY, "default")
    assert (len(found.items), {item.source for item in found.items}) == (5, {"rag2"})


def test_tables_are_marked_and_pages_are_told(assistant):
    found = assistant.search_knowledge_base(
        "Table 1: hours and energy of the training of each model", "default", limit=10
    )
    tables = [item for item in found.items if item.is_table]
    assert tables
    assert tables[0].page == 2


def test_a_collection_that_there_is_not_is_a_refusal_with_its_reason(assistant):
    found = assistant.search_knowledge_base(QUERY, "default", category="none such")
    assert found.items == ()
    assert "is of the collection 'none such'" in found.reason


def test_a_context_that_is_too_weak_is_a_refusal_with_its_reason(copied):
    strict = {"rerank.kind": "embedding_similarity", "rerank.safety_threshold": 1.0}
    with open_assistant(copied, settings=strict) as assistant:
        found = assistant.search_knowledge_base("Who won the chess championship of Iceland?", "default")
    assert found.items == ()
    assert "1" in found.reason


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((QUERY, None), "search_knowledge_base needs org_id, the organisation that asks, got None"),
        ((QUERY, ""), "needs org_id"),
        ((QUERY, "stranger"), "there are no documents of the organisation 'stranger' here; correct org_id"),
        ((" ", "default"), "the query is empty"),
        ((QUERY, "default", 0), "limit must be from 1 to 50, got 0"),
        ((QUERY, "default", 51), "limit must be from 1 to 50, got 51"),
    ],
)
def test_a_wrong_argument_is_refused(assistant, arguments, sentence):
    with pytest.raises(RequestError, match=sentence):
        assistant.search_knowledge_base(*arguments)


def test_the_schema_is_json_that_names_the_arguments():
    function = json.loads(json.dumps(TOOL_SCHEMA))["function"]
    assert function["name"] == "search_knowledge_base"
    assert set(function["parameters"]["properties"]) == {"query", "limit", "category"}
    assert function["parameters"]["required"] == ["query"]

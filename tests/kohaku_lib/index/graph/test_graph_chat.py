"""Entities and relations read by a chat model on the loopback that fails on demand: paid once, placed in the text."""

import json
import time

import pytest
from fake_time import FakeTime
from index_material import nodes_table

from kohaku_lib.errors import StoreError
from kohaku_lib.index.graph import GRAPH_ROW_CACHE_SCHEMA, ChatExtractor, GraphPrompt, extract_mentions
from kohaku_lib.index.graph.chat_prompt import Relation, Statements, UnusableGraphError
from kohaku_lib.llm import CallLedger, LedgeredChat, OpenAIChat
from kohaku_lib.settings import GraphSettings, LlmSettings
from kohaku_lib.storage import RowCache
from kohaku_lib.testing.openai_server import OpenAIServer, prompt_of

SETTINGS = GraphSettings()
TREE = {"d": [[["Arcadia Solar owns the Helios park near Amber Bay.", "It was built by arcadia Solar in 2019."]]]}
TWO = {
    "d": [[["Arcadia Solar owns the Helios park near Amber Bay, says the report."]]],
    "e": [[["Borealis Wind employs forty people in the harbour of Amber Bay."]]],
}
STATED = {
    "entities": [
        {"name": "Arcadia Solar", "type": "organization"},
        {"name": "Helios park", "type": "Power Plant"},
        {"name": "Nowhere Ltd", "type": "ORGANIZATION"},
    ],
    "relations": [
        {"subject": "Arcadia Solar", "predicate": "owns", "object": "Helios park", "confidence": 1.7},
        {"subject": "Arcadia Solar", "predicate": "likes", "object": "Helios park"},
        {"subject": "Arcadia Solar", "predicate": "OWNS", "object": "Nowhere Ltd", "confidence": 0.9},
    ],
}
DOWN = {"kind": "status", "status": 400, "message": "this paragraph cannot be read"}  # once more without the schema


def saying(reply, faults=()):
    text = reply if isinstance(reply, str) else json.dumps(reply)
    return OpenAIServer(faults, reply=lambda request: text)


def extractor(server, cache=None, ledger=None, model="reader", settings=SETTINGS, retries=2, workers=1):
    llm = LlmSettings(provider="openai", base_url=server.base_url, model="text", call_retries=retries)
    chat = OpenAIChat(llm, FakeTime().environment({}))
    port = LedgeredChat(chat, CallLedger(ledger)) if ledger else chat
    return ChatExtractor(port, GraphPrompt(model, settings), cache, workers)


def test_an_unusable_reply_is_asked_for_again_after_growing_delays(monkeypatch):
    waited = []
    monkeypatch.setattr(time, "sleep", waited.append)
    with saying("no JSON") as server:
        reader = ChatExtractor(
            OpenAIChat(
                LlmSettings(provider="openai", base_url=server.base_url, model="text"), FakeTime().environment({})
            ),
            GraphPrompt("reader", SETTINGS),
            delays_s=(1.0, 2.0),
        )
        read(TREE, reader)
        assert waited == [0.0, 1.0, 2.0] * (len(server.requests) // 3)
    assert waited


def rows(outcome, **wanted):
    return [row for row in outcome[0].to_pylist() if all(row[name] == value for name, value in wanted.items())]


def read(tree, reader):
    return extract_mentions(nodes_table(tree), SETTINGS, reader)


def test_entities_stand_where_the_text_bears_their_names_and_unknown_types_are_other():
    with saying(STATED) as server:
        outcome = read(TREE, extractor(server))
    [solar] = rows(outcome, name="Arcadia Solar", entity_type="ORGANIZATION")
    [park] = rows(outcome, name="Helios park")
    assert (solar["node_id"], solar["char_start"], solar["char_end"]) == ("d:sec1:p1:s1", 0, 13)
    assert (park["entity_type"], park["char_start"], park["char_end"]) == ("OTHER", 23, 34)
    assert rows(outcome, name="Nowhere Ltd") == []


def test_relations_have_known_predicates_bounded_confidences_and_two_ends_in_the_text():
    with saying(STATED) as server:
        outcome = read(TREE, extractor(server))
    [solar] = rows(outcome, name="Arcadia Solar", entity_type="ORGANIZATION")
    [park] = rows(outcome, name="Helios park")
    assert solar["relations"] == [
        {"target_id": park["entity_id"], "relation_type": "OWNS", "confidence": 1.0},
        {"target_id": park["entity_id"], "relation_type": "RELATED_TO", "confidence": 0.5},
    ]


def test_what_the_rules_find_elsewhere_stays():
    with saying(STATED) as server:
        outcome = read(TREE, extractor(server))
    assert [row["span_text"] for row in rows(outcome, entity_type="DATE")] == ["2019"]
    assert len(rows(outcome, name="Amber Bay")) == 1


def test_the_call_names_types_and_predicates_and_asks_for_a_schema():
    with saying(STATED) as server:
        read(TREE, extractor(server))
        [sent] = server.requests
    assert (sent["model"], sent["temperature"], sent["max_tokens"]) == ("reader", 0.0, 2048)
    assert "Helios park" in prompt_of(sent)
    assert "TECHNICAL_TERM" in prompt_of(sent)
    assert "VALUED_AT" in prompt_of(sent)
    schema = sent["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["entities", "relations"]
    assert "LOCATED_IN" in schema["properties"]["relations"]["items"]["properties"]["predicate"]["enum"]


def test_a_short_paragraph_is_not_asked_about():
    with saying(STATED) as server:
        read({"d": [[["Arcadia Solar owns Helios park."]]]}, extractor(server))
        assert server.requests == []


def test_an_equal_paragraph_is_read_once_and_never_again(tmp_path):
    tree = {"d": TREE["d"], "e": TREE["d"]}
    with saying(STATED) as server:
        for _ in range(2):
            with RowCache(tmp_path, GRAPH_ROW_CACHE_SCHEMA) as cache:
                outcome = read(tree, extractor(server, cache))
        assert len(server.billed) == 1
    assert (outcome[1].rows_computed, outcome[1].rows_reused) == (0, 4)
    assert {row["document_id"] for row in rows(outcome, name="Helios park")} == {"d", "e"}


def test_another_model_or_other_predicates_are_asked_anew(tmp_path):
    with saying(STATED) as server, RowCache(tmp_path, GRAPH_ROW_CACHE_SCHEMA) as cache:
        read(TREE, extractor(server, cache))
        read(TREE, extractor(server, cache, model="other"))
        read(TREE, extractor(server, cache, settings=GraphSettings(relation_types=("OWNS",))))
        assert len(server.billed) == 3


def test_finished_calls_of_a_run_that_died_are_found_in_the_ledger(tmp_path):
    with saying(STATED) as server:
        read(TREE, extractor(server, ledger=tmp_path))
        outcome = read(TREE, extractor(server, ledger=tmp_path))
        assert len(server.billed) == 1
    assert len(rows(outcome, name="Helios park")) == 1


def test_an_unusable_reply_is_asked_for_again_three_times_in_all_and_paid_each_time(tmp_path):
    with saying("I would rather not.") as server:
        outcome = read(TREE, extractor(server, ledger=tmp_path))
        assert len(server.billed) == 3
    [problem] = outcome[1].problems
    assert "no usable reply after 3 attempts" in problem
    assert outcome[1].incomplete == "1 of 1 paragraphs were not read; the next refresh retries them"
    assert rows(outcome, name="Amber Bay")


def test_a_later_attempt_may_succeed(tmp_path):
    replies = iter(["nothing", f"<think>hm {{}}</think>```json\n{json.dumps(STATED)}\n```"])
    with OpenAIServer(reply=lambda request: next(replies)) as server:
        outcome = read(TREE, extractor(server, ledger=tmp_path))
        assert len(server.billed) == 2
    assert (outcome[1].problems, len(rows(outcome, name="Helios park"))) == ((), 1)


def test_a_paragraph_that_fails_is_listed_stops_no_other_and_is_read_next_time(tmp_path):
    with saying(STATED, [DOWN, DOWN]) as server, RowCache(tmp_path, GRAPH_ROW_CACHE_SCHEMA) as cache:
        first = read(TWO, extractor(server, cache))
        assert len(first[1].problems) == 1
        assert "this paragraph cannot be read" in first[1].problems[0]
        second = read(TWO, extractor(server, cache))
        assert len(server.billed) == 2
    assert (second[1].problems, second[1].incomplete, second[1].rows_computed) == ((), None, 1)


def test_a_server_that_never_answers_is_given_up_after_three_paragraphs():
    tree = {
        f"d{n}": [[[f"Paragraph number {n} is long enough to be read by a model, one should think."]]] for n in range(8)
    }
    with saying("", [{"kind": "status", "status": 503}] * 100) as server:
        outcome = read(tree, extractor(server, retries=1))
        assert len(server.requests) == 6
    assert sum("the server was unavailable" in problem for problem in outcome[1].problems) == 5


def test_a_store_that_cannot_be_written_ends_the_stage(tmp_path):
    (tmp_path / "ledger").write_text("a file where the folder should be")
    with saying(STATED) as server, pytest.raises(StoreError, match="cannot be written"):
        read(TREE, extractor(server, ledger=tmp_path / "ledger"))


@pytest.mark.parametrize("reply", ["", "[]", "{}", '{"entities": 3}', "no JSON", '{"entities": ["cut'])
def test_a_reply_of_another_form_is_unusable(reply):
    with pytest.raises(UnusableGraphError, match=r"try another graph\.model"):
        GraphPrompt("m", SETTINGS).parse(reply)


def test_entries_of_another_form_are_left_out():
    reply = {
        "entities": ["Iowa", {"name": " "}, {"name": "Iowa", "type": None}, {"name": 3}],
        "relations": [None, {"subject": "Iowa"}, {"subject": "Iowa", "object": "USA", "confidence": "high"}],
    }
    stated = GraphPrompt("m", SETTINGS).parse(json.dumps(reply))
    assert stated == Statements({"Iowa": "OTHER"}, (Relation("Iowa", "RELATED_TO", "USA", 0.5),))


def test_types_of_entities_are_those_of_the_settings():
    prompt = GraphPrompt("m", GraphSettings(entity_types=("SPECIES",)))
    reply = {"entities": [{"name": "Bee", "type": "species"}, {"name": "Iowa", "type": "LOCATION"}], "relations": []}
    assert prompt.parse(json.dumps(reply)).entities == {"Bee": "SPECIES", "Iowa": "OTHER"}
    assert "Types of entities: SPECIES, OTHER." in prompt.request("d:1", "Bees fly.", 0).user

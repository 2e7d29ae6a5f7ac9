"""Acronyms, titles and names: what a document makes known is found throughout it, at its true place."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_material import nodes_table

from kohaku_lib.index import extract_mentions
from kohaku_lib.index.graph import canonical_name, find_definitions
from kohaku_lib.index.graph.entities import entity_of
from kohaku_lib.index.graph.names import DocumentNames, title_name, type_of
from kohaku_lib.settings import GraphSettings

ON = GraphSettings()


def spelled(text):
    return [(found.acronym, found.long_form) for found in find_definitions(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The power usage effectiveness (PUE) fell.", ("PUE", "power usage effectiveness")),
        ("a mixture of experts (MoE) model", ("MoE", "mixture of experts")),
        ("Large Language Models (LLMs) are big", ("LLM", "Large Language Models")),
        ("the PUE (power usage effectiveness) fell", ("PUE", "power usage effectiveness")),
        ("the Environmental Protection Agency (EPA) said", ("EPA", "Environmental Protection Agency")),
        ("a state-of-charge (SOC) of 40%", ("SOC", "state-of-charge")),
        (
            "the Institute of Electrical and Electronics Engineers (IEEE)",
            ("IEEE", "Institute of Electrical and Electronics Engineers"),
        ),
    ],
)
def test_an_acronym_takes_the_words_that_begin_with_its_letters(text, found):
    assert spelled(text) == [found]


@pytest.mark.parametrize(
    "text",
    [
        "see Table 3 (PUE)",
        "it fell (2019)",
        "a thing (of the past)",
        "we (the authors)",
        "PUE\n(PUE)",
        "AI (a field of work)",
        "()",
    ],
)
def test_other_brackets_spell_nothing_out(text):
    assert spelled(text) == []


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from(list("ab AB-()\n.")), max_size=60))
def test_long_forms_stand_where_they_are_said_to(text):
    for found in find_definitions(text):
        assert text[found.start : found.end] == found.long_form
        assert found.long_form[0].lower() == found.acronym[0].lower()


def mentions(title, *texts):
    names = DocumentNames(title, texts)
    return [[(found.name, found.mention.text) for found in names.mentions(text)] for text in texts]


def test_the_long_form_is_the_acronym_wherever_it_stands_in_the_document():
    assert mentions(
        "", "The power usage effectiveness (PUE) fell.", "Its Power Usage Effectiveness rose.", "PUEs differ."
    ) == [
        [("PUE", "power usage effectiveness"), ("PUE", "PUE")],
        [("PUE", "Power Usage Effectiveness")],
        [("PUE", "PUEs")],
    ]


def test_a_definition_holds_in_its_own_document_only():
    tree = {
        "a": [[["the power usage effectiveness (PUE) fell."]]],
        "b": [[["the power usage effectiveness fell."]]],
    }
    table, _ = extract_mentions(nodes_table(tree), ON)
    assert {row["document_id"] for row in table.to_pylist()} == {"a"}


def test_the_title_is_found_at_the_beginning_of_a_sentence_and_in_small_company():
    assert mentions("Kansas", "Kansas is flat.", "So is Kansas City.") == [
        [("Kansas", "Kansas")],
        [("Kansas City", "Kansas City")],
    ]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Mercury (planet)", "Mercury"),
        ("how to begin", ""),
        ("", ""),
        ("A", ""),
        ("1984", ""),
        ("1984 (novel by Orwell)", ""),
        ("3M", ""),
        ("3M Company", "3M Company"),
        ("X" * 90, ""),
    ],
)
def test_a_title_is_a_name_where_it_begins_like_one(title, name):
    assert title_name(title) == name


def test_of_two_that_overlap_the_longer_stays():
    [[found]] = mentions("Amber", "a night at Amber Bay Hotel")
    assert found == ("Amber Bay Hotel", "Amber Bay Hotel")


@pytest.mark.parametrize(
    ("name", "kind"), [("GPT-3", "PRODUCT"), ("PUE", "TECHNICAL_TERM"), ("Iowa", "LOCATION"), ("mystery", "OTHER")]
)
def test_a_name_alone_has_the_type_that_the_rules_give_it(name, kind):
    assert type_of(name) == kind


TEXT = st.lists(
    st.sampled_from(
        [
            "Amber Bay",
            "the",
            "power usage effectiveness (PUE)",
            "PUE",
            "PUEs",
            "GPT-3",
            "é",
            "\n",
            "12%",
            "in 2019",
            "Dr. Ada",
            "(",
            ".",
            "‘Rhea’",
        ]
    ),
    max_size=14,
).map(" ".join)


@settings(deadline=None)
@given(title=st.sampled_from(["Amber", "Amber Bay", "é", "notes"]), texts=st.lists(TEXT, min_size=1, max_size=3))
def test_every_mention_is_the_text_at_its_place_and_none_overlap(title, texts):
    tree = {title: [[texts]]}
    nodes = nodes_table(tree)
    table, _ = extract_mentions(nodes, ON)
    text_of = dict(zip(nodes["node_id"].to_pylist(), nodes["text"].to_pylist(), strict=True))
    last = {}
    for row in table.to_pylist():
        assert text_of[row["node_id"]][row["char_start"] : row["char_end"]] == row["span_text"]
        assert row["char_start"] >= last.get(row["node_id"], 0)
        assert 0 <= row["confidence"] <= 1
        last[row["node_id"]] = row["char_end"]
    order = [list(text_of).index(node_id) for node_id in table["node_id"].to_pylist()]
    assert order == sorted(order)


def test_an_entity_is_one_for_each_tenant_type_and_canonical_name():
    one = entity_of("a", "PRODUCT", "GPT-3")
    assert one.entity_id == entity_of("a", "PRODUCT", "gpt-3").entity_id
    assert (
        len({one.entity_id, entity_of("b", "PRODUCT", "GPT-3").entity_id, entity_of("a", "OTHER", "GPT-3").entity_id})
        == 2 + 1
    )


@pytest.mark.parametrize(
    ("name", "canonical"), [("GPUs", "gpu"), ("TPUs", "tpu"), ("Paris", "paris"), ("AWS", "aws"), ("A100s", "a100")]
)
def test_acronyms_are_compared_in_the_singular(name, canonical):
    assert canonical_name(name) == canonical

"""Mentions are found by rule, with their type and place; entities are one by canonical name."""

import time

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.index.graph import canonical_name, extract_mentions, find_mentions
from kohaku_lib.settings import GraphSettings
from kohaku_lib.tables import MENTIONS

ON = GraphSettings()


def found(text):
    return [(mention.entity_type, mention.text) for mention in find_mentions(text)]


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("it cost $4.6 million in all", ("MONEY", "$4.6 million")),
        ("it cost US$2.50 per hour", ("MONEY", "US$2.50")),
        ("a price of 300 euros", ("MONEY", "300 euros")),
        ("a share of 13.20% of it", ("PERCENTAGE", "13.20%")),
        ("a share of 40 percent", ("PERCENTAGE", "40 percent")),
        ("on 5 June 2019 it was", ("DATE", "5 June 2019")),
        ("by May 2021 it was", ("DATE", "May 2021")),
        ("on August 1, 2016 it was", ("DATE", "August 1, 2016")),
        ("since 2019-06-05 it is", ("DATE", "2019-06-05")),
        ("first seen in 2023 by us", ("DATE", "2023")),
        ("it drew 1,287 MWh of it", ("TECHNICAL_TERM", "1,287 MWh")),
        ("it emitted 552 tCO2e then", ("TECHNICAL_TERM", "552 tCO2e")),
        ("it ran for 24 days then", ("TECHNICAL_TERM", "24 days")),
        ("we used GPT-3 for it", ("PRODUCT", "GPT-3")),
        ("we used LLaMA-33B for it", ("PRODUCT", "LLaMA-33B")),
        ("we used GPT-4o for it", ("PRODUCT", "GPT-4o")),
        ("on an A100 it ran", ("PRODUCT", "A100")),
        ("the value of PUE matters", ("TECHNICAL_TERM", "PUE")),
        ("see Article 3 for it", ("CLAUSE", "Article 3")),
        ("under the Energy Efficiency Directive it must", ("REGULATION", "Energy Efficiency Directive")),
        ("by the Environmental Protection Agency it was", ("ORGANIZATION", "Environmental Protection Agency")),
        ("at the University of Texas we", ("ORGANIZATION", "University of Texas")),
        ("at Carnegie Mellon University we", ("ORGANIZATION", "Carnegie Mellon University")),
        ("as Strubell et al. say", ("PERSON", "Strubell")),
        ("with Dr. Ada Lovelace there", ("PERSON", "Dr. Ada Lovelace")),
        ("within the United States it", ("LOCATION", "United States")),
        ("the Evolved Transformer was", ("OTHER", "Evolved Transformer")),
    ],
)
def test_each_kind_is_found(text, mention):
    assert found(text) == [mention]


@pytest.mark.parametrize(
    "text", ["", "nothing to see here", "The model is good.", "We went home.", "A cat.", "in the year of 45"]
)
def test_plain_text_mentions_nothing(text):
    assert found(text) == []


def test_the_word_that_opens_a_sentence_is_no_part_of_the_name():
    assert found("The Climate Pledge is old.") == [("OTHER", "Climate Pledge")]


def test_a_word_that_holds_capitals_is_no_acronym():
    assert ("TECHNICAL_TERM", "LL") not in found("a LLaMa in the field")


def test_offsets_point_to_the_text():
    text = "In May 2021, GPT-3 drew 1,287 MWh at Google Cloud."
    assert [text[m.start : m.end] for m in find_mentions(text)] == [m.text for m in find_mentions(text)]


@given(st.text(alphabet=st.sampled_from(list("aAbB1 3.,-%$T(é")), max_size=80))
def test_mentions_never_overlap_and_have_known_types(text):
    end = 0
    for mention in find_mentions(text):
        assert end <= mention.start < mention.end <= len(text)
        assert text[mention.start : mention.end] == mention.text
        assert mention.entity_type in (*ON.entity_types, "OTHER")
        assert 0 < mention.confidence <= 1
        end = mention.end


@pytest.mark.parametrize(
    ("name", "canonical"),
    [("GPT-3", "gpt-3"), (" United\n States", "united states"), ("ＧＰＵ", "gpu"), ("CO₂", "co2")],
)
def test_canonical_names(name, canonical):
    assert canonical_name(name) == canonical


def nodes(*texts, content_type="body"):
    count = len(texts)
    return pa.table(
        {
            "node_id": ["d", "d:1", "d:1:1", *(f"d:1:1:{at}" for at in range(count)), "d:1:2"],
            "document_id": ["d"] * (count + 4),
            "org_id": ["default"] * (count + 4),
            "title": ["how it came"] * (count + 4),
            "parent_row": pa.array([-1, 0, 1, *([2] * count), 1], pa.int32()),
            "text": ["GPT-9", "GPT-9", " ".join(texts), *texts, "[Image GPT-8]"],
            "content_type": [content_type] * (count + 4),
            "searchable": [False, False, True, *([True] * count), False],
        }
    )


def test_only_searchable_leaves_are_read():
    table, report = extract_mentions(nodes("It is GPT-3.", "Then came GPT-4."), ON)
    assert table.schema.equals(MENTIONS)
    assert table["span_text"].to_pylist() == ["GPT-3", "GPT-4"]
    assert table["node_id"].to_pylist() == ["d:1:1:0", "d:1:1:1"]
    assert report.rows_computed == 2
    assert report.metrics == {"entities": 2.0, "mentions": 2.0}


def test_one_entity_has_one_id_and_the_first_spelling_as_name():
    table, report = extract_mentions(
        nodes("The United States led.", "In the United  States too.", "UNITED it is not."), ON
    )
    rows = [row for row in table.to_pylist() if row["canonical_name"] == "united states"]
    assert len({row["entity_id"] for row in rows}) == 1
    assert {row["name"] for row in rows} == {"United States"}
    assert rows[0]["node_id"] == "d:1:1:0"
    assert report.metrics["entities"] < report.metrics["mentions"] + 1


def test_ids_depend_on_type_and_name_only():
    first = extract_mentions(nodes("It is GPT-3."), ON)[0]["entity_id"].to_pylist()
    second = extract_mentions(nodes("Something else.", "Also gpt is GPT-3."), ON)[0]["entity_id"].to_pylist()
    assert first == second


def test_bibliographies_are_passed_over():
    assert extract_mentions(nodes("It is GPT-3.", content_type="reference"), ON)[0].num_rows == 0


def test_switched_off_it_is_an_empty_table():
    table, report = extract_mentions(nodes("It is GPT-3."), GraphSettings(enabled=False))
    assert (table.num_rows, report.rows_computed) == (0, 0)
    assert table.schema.equals(MENTIONS)


def test_no_nodes_give_no_mentions():
    assert extract_mentions(nodes().slice(0, 0), ON)[0].num_rows == 0


@pytest.mark.parametrize("piece", ["A", "111,", "Aa&", "Aa of ", "A1-"])
def test_text_without_breaks_is_read_in_proportion_to_its_length(piece):
    start = time.process_time()
    list(find_mentions(piece * (40_000 // len(piece))))
    assert time.process_time() - start < 5

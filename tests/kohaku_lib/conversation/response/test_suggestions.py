"""Questions are suggested from the headings beside a source and from those that the graph relates to it."""

import pyarrow as pa
import pytest
from index_material import LIBRARY, nodes_table, small_snapshot

from kohaku_lib.conversation.response.suggestions import clean_heading, suggest_questions

TREE = {**LIBRARY, "cats": [*LIBRARY["cats"], [["Cats eat fish."]]]}
HEADINGS = {"cats:sec1": "1 Sleeping", "cats:sec2": "2 Growing old", "cats:sec3": "References", "dogs:sec1": "Barking"}


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    nodes = nodes_table(TREE)
    titles = [
        next((title for prefix, title in HEADINGS.items() if node_id.startswith(prefix)), title)
        for node_id, title in zip(nodes["node_id"].to_pylist(), nodes["title"].to_pylist(), strict=True)
    ]
    place = nodes.schema.get_field_index("title")
    return small_snapshot(
        tmp_path_factory.mktemp("headings"),
        TREE,
        nodes=nodes.set_column(place, nodes.schema.field(place), pa.array(titles)),
    )


def test_the_sections_beside_the_source_are_asked_about_by_their_headings(snapshot):
    assert suggest_questions(snapshot, ["cats:sec1:p1"], "Why?", "default") == (
        "What does “Cats” say about “Growing old”?",
    )
    assert suggest_questions(snapshot, ["cats:sec2:p1"], "Why?", "default") == (
        "What does “Cats” say about “Sleeping”?",
    )


def test_what_was_asked_already_is_not_suggested(snapshot):
    assert suggest_questions(snapshot, ["cats:sec1:p1"], "What of growing old?", "default") == ()


def test_without_sources_nothing_is_suggested(snapshot):
    assert suggest_questions(snapshot, [], "Why?", "default") == ()


@pytest.mark.parametrize(
    ("title", "heading"),
    [
        ("2.1 Power of the room", "Power of the room"),
        ("A / B / IV. Emissions", "Emissions"),
        ("Contents", None),
        ("12", None),
        ("", None),
        ("A sentence that ends with a full stop.", None),
        ("x" * 71, None),
    ],
)
def test_a_heading_loses_its_number_and_must_name_a_topic(title, heading):
    assert clean_heading(title) == heading

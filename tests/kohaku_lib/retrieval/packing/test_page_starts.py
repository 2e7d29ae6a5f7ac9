"""Where pages begin within snippets: paragraphs, windows of them, sentences, sections and tables, worked out by hand."""

import json

import pyarrow as pa
import pytest
from index_material import nodes_table, small_snapshot, word_vectors

from kohaku_lib.index.page_boxes import box_on_page
from kohaku_lib.retrieval import results_from_table, results_to_table
from kohaku_lib.retrieval.packing.page_starts import page_starts
from kohaku_lib.retrieval.planning.plan_rows import as_plan
from kohaku_lib.retrieval.retriever import Retriever
from kohaku_lib.settings import RetrievalSettings
from kohaku_lib.tables import NODES, RETRIEVED_CONTEXT, RetrievalResult, Snippet

# Sentences of 13, 13, 11 and 11 characters: they begin at 0, 14, 28 and 40. Page 2 begins within the third.
SENTENCES = ["Cats purr on.", "Dogs bark on.", "Cats sleep.", "Dogs sleep."]
WHOLE = " ".join(SENTENCES)
BREAK = WHOLE.index("sleep.")  # 33: "Cats" of the third sentence stands on page 1
TABLE = "Power\n| a | kWh |\n| --- | --- |\n| b | 2 |\n| c | 3 |"


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    tree = {"d": [[SENTENCES, ["Kittens drink milk."], ["x"]]]}
    rows = nodes_table(tree).to_pylist()
    changes = {
        "d:sec1:p1": {
            "bbox": [0.0, 90.0, 50.0, 99.0],
            "page_starts": [[BREAK, 2]],
            "boxes": [[1, 0, 90, 50, 99], [2, 0, 0, 40, 9]],
        },
        "d:sec1:p1:s4": {"page": 2, "bbox": [9.0, 0.0, 40.0, 9.0]},
        "d:sec1:p2": {"page": 2},
        "d:sec1:p2:s1": {"page": 2},
        "d:sec1:p3": {"text": TABLE, "page": 2, "page_starts": [[TABLE.index("| c"), 3]]},
        "d:sec1:p3:s1": {"page": 3, "text": "c — kWh: 3", "bbox": [1.0, 2.0, 3.0, 4.0]},
    }
    for row in rows:
        change = changes.get(row["node_id"], {})
        row |= {name: value for name, value in change.items() if name in NODES.names}
        row["metadata_json"] = json.dumps({name: change[name] for name in ("page_starts", "boxes") if name in change})
        if row["node_id"] == "d:sec1":
            row["text"] = f"Heading\n\n{WHOLE}\n\nKittens drink milk.\n\n{TABLE}"
    return small_snapshot(tmp_path_factory.mktemp("pages"), tree, nodes=pa.Table.from_pylist(rows, schema=NODES))


def starts(snapshot, node_id, text=None):
    row = snapshot.row_of(node_id)
    return page_starts(snapshot, row, snapshot.text(row) if text is None else text)


def test_a_paragraph_over_a_break_has_both_pages(snapshot):
    assert starts(snapshot, "d:sec1:p1") == ((0, 1), (33, 2))


def test_a_paragraph_on_one_page_has_none(snapshot):
    assert starts(snapshot, "d:sec1:p2") == ()


def test_a_window_counts_from_its_own_beginning(snapshot):
    assert starts(snapshot, "d:sec1:p1", " ".join(SENTENCES[1:])) == ((0, 1), (19, 2))


def test_a_window_on_one_page_has_none(snapshot):
    assert starts(snapshot, "d:sec1:p1", " ".join(SENTENCES[:2])) == ()


def test_a_sentence_over_the_break_has_both_pages_and_others_none(snapshot):
    assert [starts(snapshot, f"d:sec1:p1:s{n}") for n in (1, 2, 3, 4)] == [(), (), ((0, 1), (5, 2)), ()]


def test_a_section_has_the_pages_of_its_paragraphs(snapshot):
    # "Heading" and two line breaks are 9 characters.
    table_at = 9 + len(WHOLE) + 2 + len("Kittens drink milk.") + 2
    assert starts(snapshot, "d:sec1") == ((0, 1), (9 + 33, 2), (table_at + TABLE.index("| c"), 3))


def test_the_rows_of_a_table_below_its_repeated_head_have_their_page(snapshot):
    opening = "Power\n| a | kWh |\n| --- | --- |"  # 5 + 1 + 11 + 1 + 13 = 31 characters
    assert starts(snapshot, "d:sec1:p3", f"{opening}\n| b | 2 |\n| c | 3 |") == ((0, 2), (42, 3))
    assert starts(snapshot, "d:sec1:p3:s1") == ()  # its text, in words, is not that of the table


def test_a_search_gives_them_to_its_snippets(snapshot):
    [found] = Retriever(snapshot, RetrievalSettings(top_k=1), word_vectors).retrieve([("q", ["cats purr dogs bark"])])
    assert (found.snippets[0].node_id, found.snippets[0].page_starts) == ("d:sec1:p1", ((0, 1), (33, 2)))


def test_stored_contexts_keep_them_and_older_ones_have_none():
    snippet = Snippet("d:p1", "d", "D", 1, WHOLE, 1, 1.0, page_starts=((0, 1), (33, 2)))
    table = results_to_table([RetrievalResult(as_plan(("q", ["cats"])), snippets=(snippet,))])
    assert table.schema == RETRIEVED_CONTEXT
    assert results_from_table(table)[0].snippets == (snippet,)
    [row] = table.to_pylist()
    del row["snippets"][0]["page_starts"]
    [before] = results_from_table(pa.Table.from_pylist([row]))
    assert (before.snippets[0].page_starts, before.snippets[0].page_at(40)) == ((), 1)


@pytest.mark.parametrize(
    ("node_id", "page", "box"),
    [
        ("d:sec1:p1", 1, (0.0, 90.0, 50.0, 99.0)),
        ("d:sec1:p1", 2, (0, 0, 40, 9)),  # the part of the paragraph there
        ("d:sec1:p1", 3, None),
        ("d:sec1:p1:s4", 2, (9.0, 0.0, 40.0, 9.0)),
        ("d:sec1:p3", 3, (1.0, 2.0, 3.0, 4.0)),  # its rows there
        ("d:sec1:p2", 2, None),
    ],
)
def test_the_box_of_a_node_is_that_on_the_page(snapshot, node_id, page, box):
    assert box_on_page(snapshot, node_id, page) == box

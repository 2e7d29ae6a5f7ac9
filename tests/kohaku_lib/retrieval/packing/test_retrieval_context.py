"""Growing matches into a context: expansion, deduplication, windows, the token budget."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_material import LIBRARY, nodes_table, small_snapshot

from kohaku_lib.documents.payloads import payload_from_json
from kohaku_lib.retrieval.packing.pack import pack, window
from kohaku_lib.retrieval.refine.expand import expand
from kohaku_lib.settings import RetrievalSettings, TreeSettings
from kohaku_lib.tree.flatten import flatten

LONG = {"long": [[[f"Cat number {n} sleeps for {n} hours." for n in range(10)], ["Dogs bark."]]]}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return small_snapshot(tmp_path_factory.mktemp("library"), LIBRARY)


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    return small_snapshot(tmp_path_factory.mktemp("long"), LONG)


def expanded(snapshot, *node_ids, **settings):
    values = {"parent_depth": 1, "parent_limit": "document", "child_depth": 0, "snippet_dedup": "none"} | settings
    matches = [(snapshot.row_of(node_id), 1.0 / rank) for rank, node_id in enumerate(node_ids, 1)]
    return expand(snapshot, matches, RetrievalSettings(**values))


def ids(snapshot, nodes):
    return [snapshot.column("node_id", [node.row])[0] for node in nodes]


def test_a_match_stands_before_its_parents_and_children(library):
    nodes = expanded(library, "cats:sec1:p1", parent_depth=9, child_depth=1)
    assert ids(library, nodes) == ["cats:sec1:p1", "cats:sec1", "cats", "cats:sec1:p1:s1", "cats:sec1:p1:s2"]
    assert {(node.rank, node.score) for node in nodes} == {(1, 1.0)}


def test_children_come_depth_first(library):
    nodes = expanded(library, "cats:sec1", parent_depth=0, child_depth=2)
    assert ids(library, nodes)[1:4] == ["cats:sec1:p1", "cats:sec1:p1:s1", "cats:sec1:p1:s2"]


def test_a_match_grows_no_higher_than_the_limit(library):
    nodes = expanded(library, "cats:sec1:p1:s1", "cats:sec2:p1", parent_depth=2, parent_limit="paragraph")
    assert ids(library, nodes) == ["cats:sec1:p1:s1", "cats:sec1:p1", "cats:sec2:p1"]


def test_without_deduplication_nodes_repeat_and_by_id_they_do_not(library):
    matches = ("cats:sec1:p1:s1", "cats:sec1:p1:s2")
    assert ids(library, expanded(library, *matches)).count("cats:sec1:p1") == 2
    unique = expanded(library, *matches, snippet_dedup="node_id")
    assert ids(library, unique) == ["cats:sec1:p1:s1", "cats:sec1:p1", "cats:sec1:p1:s2"]
    assert unique[1].rank == 1


def test_the_tree_leaves_only_the_topmost_with_the_best_rank_it_absorbed(library):
    nodes = expanded(
        library, "dogs:sec1:p2:s1", "cats:sec2:p1", "cats:sec1:p1:s2", "dogs:sec1", parent_depth=0, snippet_dedup="tree"
    )
    assert ids(library, nodes) == ["dogs:sec1", "cats:sec2:p1", "cats:sec1:p1:s2"]
    assert (nodes[0].rank, nodes[0].score) == (1, 1.0)
    assert library.column("node_id", [nodes[0].match_row]) == ["dogs:sec1:p2:s1"]


def test_in_place_the_topmost_keep_their_own_rank(library):
    matches = ("dogs:sec1:p2:s1", "cats:sec2:p1", "cats:sec1:p1:s2", "dogs:sec1")
    nodes = expanded(library, *matches, parent_depth=0, snippet_dedup="tree_in_place")
    assert [(node.rank, *ids(library, [node])) for node in nodes] == [
        (2, "cats:sec2:p1"),
        (3, "cats:sec1:p1:s2"),
        (4, "dogs:sec1"),
    ]


def test_ids_that_only_look_like_ancestors_are_kept(tmp_path):
    snapshot = small_snapshot(tmp_path, {"a": [[["Cats sleep."]] * 11]})
    nodes = expanded(snapshot, "a:sec1:p1", "a:sec1:p10", "a:sec1:p11:s1", parent_depth=0, snippet_dedup="tree")
    assert len(nodes) == 3


def test_no_match_gives_no_context(library):
    assert expanded(library) == []
    assert pack(library, [], 100, 100) == ([], [])


def test_ten_thousand_nodes_are_deduplicated_at_once(tmp_path):
    snapshot = small_snapshot(tmp_path, {"d": [[["Cats."] * 100] * 100]})
    nodes = snapshot.column("node_id", range(snapshot.nodes.num_rows))
    start = time.process_time()
    assert len(expanded(snapshot, *nodes[2:], parent_depth=0, snippet_dedup="tree")) == 100
    assert time.process_time() - start < 5


def test_snippets_are_packed_best_first_and_what_does_not_fit_is_listed(library):
    nodes = expanded(library, "cats:sec1:p1", "dogs:sec1:p2", "cats:sec1:p2", parent_depth=0)
    packed, dropped = pack(library, nodes, budget_tokens=15, snippet_tokens=100)
    # 49 characters are 12 tokens; 38 are 9 and no longer fit; 19 are 4.
    assert [item.tokens for item in packed] == [12]
    assert library.column("node_id", dropped) == ["dogs:sec1:p2", "cats:sec1:p2"]
    packed, dropped = pack(library, nodes, budget_tokens=16, snippet_tokens=100)
    assert [item.text for item in packed] == [
        "Cats sleep for 15 hours. A cat purrs at 25 hertz.",
        "Kittens drink milk.",
    ]
    assert library.column("node_id", dropped) == ["dogs:sec1:p2"]


def test_the_best_snippet_enters_whatever_the_budget(library):
    packed, dropped = pack(library, expanded(library, "cats:sec2:p1", parent_depth=0), 1, 1)
    assert ([item.text for item in packed], dropped) == (["Old cats sleep more."], [])


def test_a_long_paragraph_becomes_whole_sentences_around_its_match(long):
    match = "long:sec1:p1:s5"
    packed, _ = pack(long, expanded(long, match, snippet_dedup="tree"), budget_tokens=900, snippet_tokens=24)
    # Each sentence is 31 characters, 7 tokens: three of them fit.
    assert packed[0].text == (
        "Cat number 3 sleeps for 3 hours. Cat number 4 sleeps for 4 hours. Cat number 5 sleeps for 5 hours."
    )
    assert packed[0].tokens <= 24


def test_a_window_keeps_the_lines_of_its_paragraph(tmp_path):
    snapshot = small_snapshot(tmp_path, LONG, nodes=nodes_table(LONG, separator="\n"))
    [packed] = pack(snapshot, expanded(snapshot, "long:sec1:p1:s5", snippet_dedup="tree"), 900, snippet_tokens=16)[0]
    assert packed.text == "Cat number 4 sleeps for 4 hours.\nCat number 5 sleeps for 5 hours."


def test_a_window_of_a_section_is_made_of_whole_paragraphs(tmp_path):
    snapshot = small_snapshot(tmp_path, {"d": [[["Cats sleep."], ["Dogs bark."], ["Shoes are leather."]]]})
    nodes = expanded(snapshot, "d:sec1:p2", snippet_dedup="tree", parent_depth=1)
    [packed] = pack(snapshot, nodes, 900, snippet_tokens=6)[0]
    assert packed.text == "Dogs bark.\nShoes are leather."


@pytest.mark.parametrize(("match", "expected"), [("s1", ["s1", "s2", "s3"]), ("s10", ["s8", "s9", "s10"])])
def test_a_window_at_an_end_grows_to_the_other_side(long, match, expected):
    row = long.row_of("long:sec1:p1")
    rows = window(long, row, long.row_of(f"long:sec1:p1:{match}"), limit=24)
    assert [node_id.rpartition(":")[2] for node_id in long.column("node_id", rows)] == expected


def test_a_section_whose_paragraph_is_too_long_becomes_a_window_in_that_paragraph(long):
    rows = window(long, long.row_of("long:sec1"), long.row_of("long:sec1:p1:s2"), limit=16)
    assert long.column("node_id", rows) == ["long:sec1:p1:s2", "long:sec1:p1:s3"]


def test_a_sentence_is_never_cut(long):
    row = long.row_of("long:sec1:p1:s3")
    assert window(long, row, row, limit=1) == [row]


def table_snapshot(tmp_path, caption="Power of cats"):
    rows = [f"| cat {number} | {number}00 |" for number in range(1, 30)]
    text = "\n".join([caption, "| Name | Watts |", "| --- | --- |", *rows])
    paragraph = {"text": text, "metadata": {"modality": "table", "page": 1}}
    payload = {"document_id": "d", "text": "", "sections": [{"title": "A", "paragraphs": [paragraph]}]}
    columns = flatten(payload_from_json(payload), "default", {}, TreeSettings())
    return small_snapshot(tmp_path, {"d": []}, nodes=columns.table()), text


def test_a_window_of_a_table_repeats_its_caption_and_head(tmp_path):
    snapshot, _ = table_snapshot(tmp_path)
    [packed] = pack(snapshot, expanded(snapshot, "d:sec1:p1:s20", snippet_dedup="tree"), 900, snippet_tokens=30)[0]
    assert packed.text.split("\n") == [
        "Power of cats",
        "| Name | Watts |",
        "| --- | --- |",
        "| cat 18 | 1800 |",
        "| cat 19 | 1900 |",
        "| cat 20 | 2000 |",
        "| cat 21 | 2100 |",
    ]
    assert packed.tokens == len(packed.text) // 4 <= 30


@pytest.mark.parametrize("match", ["s1", "s2", "s3"])
def test_a_window_at_the_top_of_a_table_holds_its_head_once(tmp_path, match):
    snapshot, text = table_snapshot(tmp_path)
    [packed] = pack(snapshot, expanded(snapshot, f"d:sec1:p1:{match}", snippet_dedup="tree"), 900, snippet_tokens=30)[0]
    assert text.startswith(packed.text)
    assert packed.text.count("| --- |") == 1


def test_a_caption_longer_than_the_window_leaves_room_for_rows(tmp_path):
    snapshot, _ = table_snapshot(tmp_path, caption="The power that cats draw. " * 20)
    [packed] = pack(snapshot, expanded(snapshot, "d:sec1:p1:s20", snippet_dedup="tree"), 900, snippet_tokens=30)[0]
    assert packed.text.count("| cat ") == 3


# Eleven siblings, so that ids exist that only look like ancestors; and branches of every size.
FOREST = {
    "d1": [[["Cats."] * 3, ["Cats."]], [["Cats."] * 11]],
    "d10": [[["Cats."]]] * 11,
    "d11": [[["Cats."] * 2] * 2],
}


@pytest.fixture(scope="module")
def forest(tmp_path_factory):
    return small_snapshot(tmp_path_factory.mktemp("forest"), FOREST)


@settings(max_examples=100)
@given(data=st.data())
def test_deduplication_by_tree_is_that_of_comparing_all_pairs(forest, data):
    names = forest.column("node_id", range(forest.nodes.num_rows))
    chosen = data.draw(st.lists(st.sampled_from(names), max_size=12))
    expected: dict[str, int] = {}  # topmost chosen node to the best rank that it absorbs
    for rank, name in enumerate(chosen, 1):
        above = [other for other in chosen if name == other or name.startswith(f"{other}:")]
        expected.setdefault(min(above, key=len), rank)
    nodes = expanded(forest, *chosen, parent_depth=0, snippet_dedup="tree")
    assert list(zip(ids(forest, nodes), [node.rank for node in nodes], strict=True)) == list(expected.items())

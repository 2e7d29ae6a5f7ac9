"""A passage takes one place in a ranking: a paragraph with its sentences, and near-copies in several documents."""

import pyarrow as pa
import pytest
from index_material import nodes_table, small_snapshot, word_vectors

from kohaku_lib.retrieval import Retriever, results_from_table, results_to_table
from kohaku_lib.settings import RetrievalSettings

TREE = {
    "cats": [[["Cats sleep for 15 hours.", "A cat purrs at 25 hertz."], ["Kittens drink milk."]]],
    "older": [[["Cats sleep for 12 hours.", "A cat purrs at 25 hertz."]]],
    "copy": [[["Cats sleep for 15 hours.", "A cat purrs at 25 hertz."]]],
    "again": [[["Cats sleep for 15 hours.", "A cat purrs at 25 hertz"]]],
    "dogs": [[["Dogs bark at cats that sleep."]]],
}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    return small_snapshot(tmp_path_factory.mktemp("shelf"), TREE)


def request(shelf, query="cats sleep", **settings):
    return Retriever(shelf, RetrievalSettings(**settings), word_vectors).retrieve([("q", [query])])[0]


def test_a_paragraph_stands_for_its_sentences_and_names_the_best_one(shelf):
    result = request(shelf, "a cat purrs at 25 hertz")
    assert [match.kind for match in result.matches] == ["paragraph"] * len(result.matches)
    first = result.matches[0]
    assert first.best_sentence == f"{first.node_id}:s2"
    every = request(shelf, "a cat purrs at 25 hertz", merge_duplicates=False)
    assert {match.kind for match in every.matches} == {"paragraph", "sentence"}
    assert first.score == every.matches[0].score


def test_near_copies_take_the_place_of_the_best_one_which_names_the_documents_of_the_others(shelf):
    result = request(shelf)
    asleep = [match for match in result.matches if match.document_id in {"cats", "copy", "again"}]
    [best, milk] = sorted(asleep, key=lambda match: match.node_id.endswith("p2"))
    assert {best.document_id, *best.also_in} == {"cats", "copy", "again"}
    assert (milk.node_id, milk.also_in) == ("cats:sec1:p2", ())
    assert {match.document_id: match.also_in for match in result.matches}["older"] == ()  # it has another number


def test_the_context_holds_each_passage_once_and_says_what_it_left_out(shelf):
    result = request(shelf)
    texts = [snippet.text for snippet in result.snippets]
    assert sum("15 hours" in text for text in texts) == 1
    assert sum("12 hours" in text for text in texts) == 1
    [kept] = [snippet for snippet in result.snippets if "15 hours" in snippet.text]
    copies = [row for row in result.trace["dropped"] if row["why"] == "copy"]
    assert [row["of"] for row in copies] == [kept.node_id] * 2
    assert sorted(kept.also_in) == sorted(row["node_id"].split(":")[0] for row in copies)


def test_it_can_be_switched_off(shelf):
    result = request(shelf, merge_duplicates=False)
    assert sum("15 hours" in snippet.text for snippet in result.snippets) == 3
    assert {match.also_in for match in result.matches} == {()}


def test_results_are_read_back_as_they_were_written(shelf):
    result = request(shelf)
    [again] = results_from_table(results_to_table([result]))
    assert (again.matches, again.snippets) == (result.matches, result.snippets)


def test_rows_of_a_table_are_passages_of_their_own_and_take_its_place(tmp_path):
    tree = {"prices": [[["cats 4 milk", "dogs 7 milk", "kittens 2 milk"]]], "dogs": [[["Dogs bark at cats."]]]}
    nodes = nodes_table(tree)
    is_table = [name.startswith("prices:sec1:p1") for name in nodes.column("node_id").to_pylist()]
    at = nodes.schema.get_field_index("modality")
    modality = pa.array(["table" if one else "text" for one in is_table], nodes.schema.field(at).type)
    shelf = small_snapshot(tmp_path, tree, nodes=nodes.set_column(at, nodes.schema.field(at), modality))
    ids = [match.node_id for match in request(shelf, "kittens milk").matches]
    assert ids[0] == "prices:sec1:p1:s3"
    assert set(ids[:3]) == {f"prices:sec1:p1:s{row}" for row in (1, 2, 3)}
    assert "prices:sec1:p1" not in ids

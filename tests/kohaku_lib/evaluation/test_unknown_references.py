"""True references are checked against the documents that exist."""

import json

import pyarrow as pa
import pytest

from kohaku_lib.evaluation.unknown_references import unknown_references, unknown_truth


def questions(*rows):
    return pa.table({"id": [row["id"] for row in rows], "row_json": [json.dumps(row) for row in rows]})


@pytest.mark.parametrize(
    ("refs", "unknown"), [(["a"], None), (["A"], None), ([], None), (["x"], "'x'"), (["b", "x", "y"], "'x', 'y'")]
)
def test_a_sentence_names_the_references_without_a_document_whatever_their_case(refs, unknown):
    sentences = unknown_references({"q1": refs}, ["a", "B"])
    assert sentences == (
        []
        if unknown is None
        else [f"the question 'q1' refers to {unknown}, which does not exist; correct its ref_id or add the document"]
    )


def test_more_than_ten_questions_are_summed_up_in_one_more_sentence():
    sentences = unknown_references({f"q{number}": ["x"] for number in range(13)}, ["a"])
    assert len(sentences) == 11
    assert "3" in sentences[-1]
    assert "questions refer to documents that do not exist" in sentences[-1]


def test_truth_is_read_from_the_cells_of_the_file_and_blank_cells_refer_to_nothing():
    table = questions(
        {"id": "q1", "ref_id": "['a','Zoë']"}, {"id": "q2", "ref_id": "is_blank"}, {"id": "q3", "question": "no cell"}
    )
    [sentence] = unknown_truth(table, ["a"])
    assert "'q1' refers to 'zoë'" in sentence


def test_without_documents_every_reference_is_unknown_and_without_questions_none_is():
    assert len(unknown_references({"q1": ["a"], "q2": ["b"]}, [])) == 2
    assert unknown_truth(questions(), ["a"]) == []

"""Relevance from truth files, BEIR folders and qrels."""

import json

import pytest

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation import read_judgements
from kohaku_lib.evaluation.metrics.judgements import judgement_of


@pytest.fixture
def beir(tmp_path):
    queries = [{"_id": "1", "text": "Why is the sky blue?"}, {"_id": 2, "text": "Who sleeps?"}]
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in queries))
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\tSky:1\t2\n1\tsea\t1\n2\tcats\t0\n")
    (tmp_path / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\n2\tcats\t1\n")
    return tmp_path


def test_a_beir_folder_gives_the_relevant_documents_of_its_test_split(beir):
    [judgement] = read_judgements(beir)
    assert (judgement.id, judgement.question) == ("1", "Why is the sky blue?")
    assert judgement.gains == {"sky%3a1": 2.0, "sea": 1.0}, "ids are those of the index, in lower case"
    assert (judgement.quote, judgement.cluster) == (None, "sky%3a1")


def test_another_split_is_taken_by_name(beir):
    [judgement] = read_judgements(beir, "train")
    assert (judgement.id, judgement.gains) == ("2", {"cats": 1.0})


def test_without_a_test_split_the_next_one_is_taken(beir):
    (beir / "qrels" / "test.tsv").unlink()
    assert [judgement.id for judgement in read_judgements(beir)] == ["2"]


def test_an_unknown_split_names_those_that_are_there(beir):
    with pytest.raises(InputFileError, match=r"no qrels/dev\.tsv \(found: test, train\)"):
        read_judgements(beir, "dev")


def test_qrels_in_trec_columns_find_their_queries_one_folder_up(beir):
    qrels = beir / "qrels" / "trec.txt"
    qrels.write_text("1 0 sky 1\n1 0 sea 0\n2 0 Cats 3\n")
    found = {judgement.id: judgement.gains for judgement in read_judgements(qrels)}
    assert found == {"1": {"sky": 1.0}, "2": {"cats": 3.0}}


def test_texts_of_qrels_may_stand_in_a_file_of_two_columns(tmp_path):
    (tmp_path / "qrels.trec").write_text("q1 Q0 a 1\n")
    (tmp_path / "topics.tsv").write_text("q1\tWhat\tis it?\n")
    [judgement] = read_judgements(tmp_path / "qrels.trec", queries=tmp_path / "topics.tsv")
    assert judgement.question == "What\tis it?"


def test_qrels_without_texts_say_where_they_were_looked_for(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "qrels.trec").write_text("q1 0 a 1\n")
    with pytest.raises(InputFileError, match=r"queries.jsonl.*--queries"):
        read_judgements(tmp_path / "a" / "qrels.trec")


def test_a_judged_question_without_text_is_named(beir):
    (beir / "qrels" / "test.tsv").write_text("9\tsky\t1\n")
    with pytest.raises(InputFileError, match="judges '9'"):
        read_judgements(beir)


def test_a_line_that_is_no_judgement_is_named_but_a_heading_is_not(beir):
    (beir / "qrels" / "test.tsv").write_text("query\tdocument\tscore\n1\tsky\t1\n1\tsea\tmuch\n")
    with pytest.raises(InputFileError, match=r"line 3 .*'1 sea much'"):
        read_judgements(beir)


def test_a_broken_line_of_queries_is_named(beir):
    (beir / "queries.jsonl").write_text('{"_id": "1", "text": "a"}\n{"_id": "2"\n')
    with pytest.raises(InputFileError, match="line 2 "):
        read_judgements(beir)


def test_truth_rows_without_references_are_left_out(tmp_path):
    truth = tmp_path / "truth.csv"
    truth.write_text(
        "id,question,ref_id,supporting_materials,explanation\n"
        "q1,Who?,\"['A','b']\",The cat sat on the mat.,\"Quote, Figure 2\"\n"
        "q2,What?,is_blank,,\n"
        "q3,When?,c,See Table 1,Table\n"
    )
    first, second = read_judgements(truth)
    assert (first.id, first.gains, first.quote) == ("q1", {"a": 1.0, "b": 1.0}, "The cat sat on the mat.")
    assert first.kinds == ("quote", "figure")
    assert (second.id, second.quote, second.kinds) == ("q3", None, ("table",))


def test_a_truth_file_in_which_nothing_is_relevant_is_a_mistake(tmp_path):
    (tmp_path / "truth.csv").write_text("id,question,ref_id\nq1,Who?,is_blank\n")
    with pytest.raises(InputFileError, match="has a relevant document"):
        read_judgements(tmp_path / "truth.csv")


@pytest.mark.parametrize("columns", [{"Quote": "1", "Table": "1", "Figure": "0"}, {"explanation": "Quote and table 4"}])
def test_kinds_of_evidence_come_from_columns_or_from_the_explanation(columns):
    assert judgement_of({"id": "q", "ref_id": "a", **columns}).kinds == ("quote", "table")


def test_a_missing_file_is_one_sentence(tmp_path):
    with pytest.raises(InputFileError, match="cannot be read"):
        read_judgements(tmp_path / "none.tsv", queries=tmp_path / "none.jsonl")

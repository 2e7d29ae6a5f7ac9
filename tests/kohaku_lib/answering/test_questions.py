import json
from pathlib import Path

import pytest

from kohaku_lib.answering import read_questions
from kohaku_lib.errors import InputFileError
from kohaku_lib.tables import QUESTIONS

TRAIN = Path(__file__).resolve().parents[3] / "../shared/data/wattbot/train_QA.csv"


def read(tmp_path, data):
    path = tmp_path / "questions.csv"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_questions(path)


def test_rows_keep_their_order_columns_and_truth(tmp_path):
    table, report = read(
        tmp_path, "id,question,answer_unit,answer_value,extra\nq2,How much?,kg,4,x\nq1,Who?,is_blank,,\n"
    )
    assert table.schema.equals(QUESTIONS)
    assert table.column("id").to_pylist() == ["q2", "q1"]
    assert table.column("answer_unit").to_pylist() == ["kg", None]
    assert table.column("has_truth").to_pylist() == [True, False]
    first = json.loads(table.column("row_json")[0].as_py())
    assert list(first.items()) == [
        ("id", "q2"),
        ("question", "How much?"),
        ("answer_unit", "kg"),
        ("answer_value", "4"),
        ("extra", "x"),
    ]
    assert (report.rows_computed, report.problems) == (2, ())


@pytest.mark.parametrize(
    "data",
    [
        "\ufeffid,question\nq1,Größe?\n".encode(),
        "id,question\r\nq1,Größe?\r\n".encode(),
        "id,question\nq1,Größe?\n".encode("cp1252"),
        "id,question\nq1,Größe?\n".encode("utf-16"),
        ' id , question \n" q1 "," Größe? "\n\n,\n'.encode(),
    ],
)
def test_marks_line_ends_and_encodings_do_not_matter(tmp_path, data):
    table, _ = read(tmp_path, data)
    assert table.select(["id", "question"]).to_pylist() == [{"id": "q1", "question": "Größe?"}]


def test_quoted_cells_may_hold_line_breaks_and_commas(tmp_path):
    table, _ = read(tmp_path, 'id,question\nq1,"First, second\r\nand third?"\nq2,Next?\n')
    assert table.column("question").to_pylist() == ["First, second\r\nand third?", "Next?"]


def test_the_first_of_equal_ids_stays_and_the_others_are_listed(tmp_path):
    table, report = read(tmp_path, "id,question\nq1,One?\nq1,Two?\n,Three?\n")
    assert table.column("question").to_pylist() == ["One?"]
    repeated, nameless = report.problems
    assert "row 2 of questions.csv repeats the id 'q1'" in repeated
    assert "row 3 of questions.csv has no id" in nameless


def test_an_empty_question_stays_with_its_problem(tmp_path):
    table, report = read(tmp_path, "id,question\nq1,  \nq2\nq3,Three?\n")
    assert table.column("problem").to_pylist() == ["the question is empty", "the question is empty", None]
    assert len(report.problems) == 2


def test_a_missing_column_is_one_sentence_with_the_columns_found(tmp_path):
    with pytest.raises(InputFileError, match=r"lacks the column 'question' \(columns found: 'id', 'text'\)"):
        read(tmp_path, "id,text\nq1,One?\n")
    with pytest.raises(InputFileError, match=r"columns found: none"):
        read(tmp_path, "")


def test_an_open_quote_costs_its_own_question_only(tmp_path):
    table, report = read(tmp_path, 'id,question\nq1,"How heavy?\nq2,"How long, in all?"\nq3,How old?\n')
    assert table.column("id").to_pylist() == ["q2", "q3"]
    [problem] = report.problems
    assert problem.startswith("the row in line 2 of ")


def test_a_missing_or_broken_file_is_one_sentence(tmp_path):
    with pytest.raises(InputFileError, match=r"absent.csv cannot be read \(No such file"):
        read_questions(tmp_path / "absent.csv")
    with pytest.raises(InputFileError, match="cannot be read"):
        read_questions(tmp_path)


def test_a_cell_beyond_all_bounds_costs_its_own_question_only(tmp_path):
    table, report = read(tmp_path, "id,question\nq1," + "x" * 200_000 + "\nq2,How old?\n")
    assert table.column("id").to_pylist() == ["q2"]
    [problem] = report.problems
    assert "a cell of more than 131072 characters and is left out" in problem


def test_a_file_of_a_header_alone_holds_no_question(tmp_path):
    assert read(tmp_path, "id,question\n")[0].num_rows == 0


@pytest.mark.skipif(not TRAIN.exists(), reason="the WattBot questions are not here")
def test_the_real_questions_are_read_whole():
    table, report = read_questions(TRAIN)
    assert (table.num_rows, report.problems) == (41, ())
    assert all(table.column("has_truth").to_pylist())
    assert table.column("answer_unit").to_pylist()[:2] == [None, "tCO2e"]


def test_rows_with_surplus_or_missing_cells_are_named_and_lose_nothing_else(tmp_path):
    file = tmp_path / "q.csv"
    file.write_text("id,question,answer_value\nq1,How much, in kWh?,5\nq2,Why?\nq3,Who?,me,,\nq4,When?,1999\n")
    table, report = read_questions(file)
    assert table["id"].to_pylist() == ["q1", "q2", "q3", "q4"]
    assert table["question"].to_pylist() == ["How much", "Why?", "Who?", "When?"]
    assert report.problems == (
        "row 1 of q.csv has 4 cells for 3 columns, and the surplus is left out; put quotes around a cell that contains a "
        "delimiter",
        "row 2 of q.csv has 2 cells for 3 columns, and the missing ones are read as empty",
    )


def test_of_many_faulty_rows_ten_are_named_and_the_others_counted(tmp_path):
    file = tmp_path / "q.csv"
    file.write_text("id,question\n" + "".join(f"q{n},a,b\n" for n in range(25)) + "q0,again\n" * 12)
    table, report = read_questions(file)
    assert table.num_rows == 25
    assert len(report.problems) == 22
    assert report.problems[10] == "15 more rows of q.csv have more cells than columns"
    assert report.problems[21] == "2 more rows of q.csv repeat an id"

"""Votes over tables, rows and files."""

import json

import pyarrow as pa
import pytest
from counted_steps import steps_of

from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation import vote, vote_files, vote_rows, write_csv
from kohaku_lib.evaluation.voting.calibration import Calibration
from kohaku_lib.settings import EnsembleSettings
from kohaku_lib.tables import ENSEMBLE_VOTES, PREDICTIONS, empty_table

SETTINGS = EnsembleSettings(ref_mode="answer_priority", tie_break="first", ignore_blank=True)


def row(name, value, refs=("a",), **cells):
    urls = [f"https://example.org/{ref}" for ref in refs]
    plain = {"question": f"Question {name}?", "answer": f"It is {value}.", "answer_unit": "days"}
    more = {"supporting_materials": " | ".join(f"Paper {ref}" for ref in refs), "explanation": "Quote"}
    return {"id": name, **plain, "answer_value": value, "ref_id": list(refs), "ref_url": urls, **more, **cells}


def text(record):
    cells = {name: str(record[name]) for name in ("ref_id", "ref_url")}
    return {**record, **cells}


def prediction(run, record, error=None):
    rest = {"confidence": None, "citations": [], "attempts": 1, "dropped_refs": 0, "raw_response": None}
    return {"run": run, "run_label": f"run{run}", **record, **rest, "error": error, "trace_json": "{}"}


def voted(rows_by_member, **settings):
    runs = {member: [text(record) for record in rows] for member, rows in rows_by_member.items()}
    table, report = vote_rows(runs, SETTINGS.model_copy(update=settings))
    return {record["id"]: record for record in table.to_pylist()}, report


def test_the_row_is_that_of_the_first_member_that_holds_value_and_references():
    rows, report = voted(
        {
            "x": [row("q1", "7", ("b",), answer="Seven, says x.")],
            "y": [row("q1", "7", ("a",), answer="Seven, says y.", explanation="Table 2")],
            "z": [row("q1", "7.0", ("a",), answer="Seven, says z.")],
        }
    )
    assert rows["q1"]["answer"] == "Seven, says y."
    assert (rows["q1"]["explanation"], rows["q1"]["answer_unit"]) == ("Table 2", "days")
    assert (rows["q1"]["agreement"], report.metrics["members"]) == (1.0, 3.0)


def test_urls_and_materials_follow_the_references_that_won():
    rows, _ = voted({"x": [row("q1", "7", ("a",))], "y": [row("q1", "7", ("b", "a"))]}, ref_mode="union")
    assert rows["q1"]["ref_id"] == ["a", "b"]
    assert rows["q1"]["ref_url"] == ["https://example.org/a", "https://example.org/b"]
    assert rows["q1"]["supporting_materials"] == "Paper a | Paper b"


def test_who_voted_what_is_kept():
    rows, _ = voted({"x": [row("q1", "1,000")], "y": [row("q1", "")]})
    assert json.loads(rows["q1"]["votes_json"]) == [
        {"member": "x", "answer_value": "1000", "ref_id": ["a"]},
        {"member": "y", "answer_value": "is_blank", "ref_id": ["a"]},
    ]


def test_a_blank_row_is_blank_in_every_answer_cell():
    rows, _ = voted({"x": [row("q1", "is_blank")]})
    blank = rows["q1"]
    assert (blank["ref_id"], blank["ref_url"]) == ([], [])
    assert {blank[name] for name in ("answer", "answer_value", "supporting_materials", "explanation")} == {"is_blank"}
    assert (blank["question"], blank["answer_unit"]) == ("Question q1?", "days")


def test_no_answer_and_no_explanation_is_left_empty():
    rows, _ = voted({"x": [row("q1", "7", answer="", explanation="")]})
    assert (rows["q1"]["answer"], rows["q1"]["explanation"]) == ("7", "Runs that voted: 1.")


def test_ids_are_the_union_by_first_appearance_and_absent_rows_are_not_counted():
    rows, _ = voted({"x": [row("q2", "1"), row("q1", "")], "y": [row("q3", "3"), row("q2", "2"), row("q1", "7")]})
    assert list(rows) == ["q2", "q1", "q3"]
    assert (rows["q3"]["answer_value"], rows["q3"]["agreement"]) == ("3", 1.0)


def test_a_second_row_of_an_id_is_reported_and_not_counted():
    rows, report = voted({"x": [row("q1", "7"), row("q1", "8"), row("", "9")], "y": [row("q1", "8")]})
    assert rows["q1"]["answer_value"] == "7"
    assert report.problems == (
        "The run 'x' has a row with the id 'q1' that was not counted.",
        "The run 'x' has a row with the id '' that was not counted.",
    )


def test_a_broken_run_is_left_out_and_reported():
    good = [row(f"q{n}", "7") for n in range(4)]
    rows, report = voted({"x": good, "y": [{**record, "answer_value": ""} for record in good]}, ignore_blank=False)
    assert {record["answer_value"] for record in rows.values()} == {"7"}
    assert report.problems == ("The run 'y' was excluded from the vote: all of its 4 answers are blank.",)
    assert report.metrics == {"members": 1.0, "members_left_out": 1.0}


def test_a_vote_without_any_usable_run_is_refused():
    with pytest.raises(InputFileError, match=r"at least one run with answers, got 1 \(x: it holds no rows\)"):
        vote_rows({"x": []}, SETTINGS)
    with pytest.raises(InputFileError, match="none was named"):
        vote_files([], SETTINGS)


def test_predictions_are_voted_by_run():
    records = [prediction(0, row("q1", "7", ("a",))), prediction(1, row("q1", "8")), prediction(2, row("q1", "8.0"))]
    table, report = vote(pa.Table.from_pylist(records, schema=PREDICTIONS), SETTINGS)
    assert table.schema == ENSEMBLE_VOTES
    assert table.column("answer_value").to_pylist() == ["8"]
    assert table.column("agreement").to_pylist() == pytest.approx([2 / 3])
    assert report.rows_computed == 1


def test_a_row_that_failed_is_no_abstention():
    failed = row("q1", "is_blank", ())
    records = [prediction(run, failed, "The server was down.") for run in (0, 1)] + [prediction(2, row("q1", "7"))]
    kept = SETTINGS.model_copy(update={"ignore_blank": False})
    table, _ = vote(pa.Table.from_pylist(records, schema=PREDICTIONS), kept)
    assert table.column("answer_value").to_pylist() == ["7"]
    table, _ = vote(pa.Table.from_pylist(records[:2], schema=PREDICTIONS), kept)
    assert table.column("answer_value").to_pylist() == ["is_blank"]


def test_no_prediction_gives_no_vote():
    table, report = vote(empty_table(PREDICTIONS), SETTINGS)
    assert (table.schema, table.num_rows, report.rows_computed) == (ENSEMBLE_VOTES, 0, 0)


def test_files_are_voted_by_position_and_named_by_what_differs(tmp_path):
    for name, value in (("x", "7"), ("y", "8"), ("z", "9")):
        write_csv([row("q1", value)], tmp_path / name / "submission.csv")
    paths = [tmp_path / name / "submission.csv" for name in "xyz"]
    table, _ = vote_files(paths, SETTINGS)
    assert table.column("answer_value").to_pylist() == ["7"]
    assert [entry["member"] for entry in json.loads(table.column("votes_json")[0].as_py())] == ["x", "y", "z"]
    assert vote_files(paths, SETTINGS, Calibration({"x": 1.0, "y": 1.0, "z": 1.5}, ()))[0].column(
        "answer_value"
    ).to_pylist() == ["9"]


def test_a_broken_file_is_left_out_and_a_missing_one_refused(tmp_path):
    write_csv([row("q1", "7")], tmp_path / "x.csv")
    (tmp_path / "y.csv").write_bytes(b"\x00\xff\xfe garbage")
    table, report = vote_files([tmp_path / "y.csv", tmp_path / "x.csv"], SETTINGS)
    assert table.column("answer_value").to_pylist() == ["7"]
    assert len(report.problems) == 1
    with pytest.raises(InputFileError, match=r"z\.csv cannot be read"):
        vote_files([tmp_path / "z.csv"], SETTINGS)


def test_twice_the_questions_or_runs_take_twice_the_steps():
    def steps(questions, runs):
        rows = {f"m{run}": [row(f"q{n}", str((n * run) % 7)) for n in range(questions)] for run in range(runs)}
        return steps_of(lambda: voted(rows))

    assert steps(282, 10) < 2.2 * steps(141, 10)
    assert steps(282, 10) < 2.2 * steps(282, 5)


def test_runs_of_a_ballot_box_are_weighed_by_their_label():
    runs = {"x": [text(row("q1", "7"))], "y": [text(row("q1", "8"))]}
    for weights, winner in (({"x": 1.0, "y": 2.0}, "8"), ({"y": 0.5}, "7"), ({}, "7")):
        table, _ = vote_rows(runs, SETTINGS, Calibration(weights, ()))
        assert table.column("answer_value").to_pylist() == [winner]


def test_a_value_is_voted_in_the_unit_and_scale_that_its_row_names():
    rows, _ = voted(
        {
            "x": [row("q1", "2.5", answer="It took 2.5 million liters.", answer_unit="liters")],
            "y": [row("q1", "2,500,000", answer_unit="liters")],
            "z": [row("q1", "9", answer_unit="liters")],
        }
    )
    assert (rows["q1"]["answer_value"], rows["q1"]["agreement"]) == ("2500000", pytest.approx(2 / 3))


def test_a_true_or_false_question_is_voted_as_one_and_zero():
    claim = "True or False: amber is a stone."
    rows, _ = voted(
        {name: [row("q1", value, question=claim)] for name, value in (("x", "False"), ("y", "0"), ("z", "1"))}
    )
    assert (rows["q1"]["answer_value"], rows["q1"]["question"]) == ("0", claim)


def test_a_file_that_is_missing_is_left_out_and_reported(tmp_path):
    whole = tmp_path / "whole.csv"
    whole.write_text("id,answer_value,ref_id\nq1,7,['a']\n")
    table, report = vote_files([whole, tmp_path / "none.csv"], EnsembleSettings())
    assert table["answer_value"].to_pylist() == ["7"]
    assert len(report.problems) == 1
    assert "none.csv" in report.problems[0]


def test_a_vote_over_several_runs_may_need_two_with_answers():
    rows = [{"id": f"q{n}", "answer_value": "7"} for n in range(4)]
    settings = SETTINGS.model_copy(update={"min_runs": 2})
    with pytest.raises(InputFileError, match=r"at least 2 runs \(ensemble.min_runs\) with answers, got 2 \(y: "):
        vote_rows({"x": rows, "y": []}, settings)
    assert vote_rows({"x": rows}, settings)[0].num_rows == 4  # a single run is no vote

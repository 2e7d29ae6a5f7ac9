import csv
import re
from pathlib import Path

import pytest
from answering_material import contexts_table, questions_table, snippet

from kohaku_lib.answering import (
    Engine,
    GivenParts,
    NotRecordedError,
    ReplayAnswerer,
    answer_questions,
    build_answerer,
    read_questions,
)
from kohaku_lib.errors import InputFileError, SettingsError
from kohaku_lib.evaluation import (
    build_submission,
    read_rows,
    score_answers,
    score_rows,
    vote,
    write_csv,
)
from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS
from kohaku_lib.settings import Settings
from kohaku_lib.tables import PREDICTIONS, RETRIEVED_CONTEXT, Question

WATTBOT = Path(__file__).resolve().parents[3] / "../shared/data/wattbot"
HEADER = "id,answer,answer_value,ref_id,supporting_materials,explanation\n"


def recorded(tmp_path, *files):
    paths = []
    for number, text in enumerate(files):
        path = tmp_path / f"run{number}.csv"
        path.write_bytes(text if isinstance(text, bytes) else (HEADER + text).encode())
        paths.append(path)
    return paths


def replay_settings(paths):
    return Settings.model_validate({"answer": {"by": "replay"}, "replay": {"runs": [str(path) for path in paths]}})


def replayed(paths, questions, contexts=None, documents=None):
    settings = replay_settings(paths)
    context_table = contexts_table(contexts or {})
    return answer_questions(
        questions, context_table, Engine(settings, GivenParts([build_answerer(settings)], None, documents or {}))
    )


@pytest.mark.parametrize(
    "cell", ['"[""a"",""b""]"', "\"['a', 'b']\"", '"[a,b]"', '"a,b"', '"[""is_blank"",""a"",""b""]"']
)
def test_reference_lists_are_read_however_they_are_written(tmp_path, cell):
    (path,) = recorded(tmp_path, f"q1,It is 4.,4,{cell},,\n")
    assert ReplayAnswerer([path]).answer(Question("q1", "?"), []).ref_id == ("a", "b")


def test_marks_and_quoted_line_breaks_are_read(tmp_path):
    (path,) = recorded(tmp_path, ("\ufeff" + HEADER + 'q1,"Two\nlines","13,900",a,"A ""quote"".",Why\n').encode())
    answer = ReplayAnswerer([path]).answer(Question("q1", "?"), [])
    assert (answer.answer, answer.answer_value, answer.quote) == ("Two\nlines", "13,900", 'A "quote".')


def test_a_row_is_kept_as_it_was_recorded(tmp_path):
    paths = recorded(tmp_path, "q1,A,4,[],m,e\nq2,B,is_blank,['d'],is_blank,\nq3,C,True,['x'],,\n")
    table, report = replayed(paths, questions_table(("q1", "One?"), ("q2", "Two?"), ("q3", "Three?")))
    assert [(row["answer_value"], row["ref_id"]) for row in table.to_pylist()] == [
        ("4", []),
        ("is_blank", ["d"]),
        ("True", ["x"]),
    ]
    assert all(table.column("explanation").to_pylist())
    assert table.column("supporting_materials").to_pylist() == ["m", "is_blank", "is_blank"]
    assert report.problems == ()


@pytest.mark.parametrize("cell", ["", "[]", "is_blank", '["is_blank", "x"]', '["a, b"]', "a,b", "['a']"])
def test_references_keep_the_spelling_that_the_metrics_judge(tmp_path, cell):
    quoted = '"' + cell.replace('"', '""') + '"'
    paths = recorded(tmp_path, f"q1,A,Unable to answer with confidence based on this,{quoted},,\n")
    table, _ = replayed(paths, questions_table(("q1", "One?")))
    (row,) = table.to_pylist()
    assert row["ref_cell"] == cell
    assert row["answer_value"] == "Unable to answer with confidence based on this"


def test_each_run_is_a_file_and_rows_go_by_run_then_input_order(tmp_path):
    paths = recorded(tmp_path, "q1,A,1,d,,\nq2,A,2,d,,\n", "q2,B,22,d,,\nq1,B,11,d,,\n")
    table, _ = replayed(paths, questions_table(("q2", "Two?"), ("q1", "One?")))
    assert [(row["run"], row["run_label"], row["id"], row["answer_value"]) for row in table.to_pylist()] == [
        (0, "run0", "q2", "2"),
        (0, "run0", "q1", "1"),
        (1, "run1", "q2", "22"),
        (1, "run1", "q1", "11"),
    ]


def test_a_question_that_a_run_lacks_has_no_row_there(tmp_path):
    paths = recorded(tmp_path, "q1,A,1,d,,\n", "q1,B,11,d,,\nq2,B,22,d,,\n")
    table, report = replayed(paths, questions_table(("q1", "One?"), ("q2", "Two?")))
    assert [(row["run"], row["id"]) for row in table.to_pylist()] == [(0, "q1"), (1, "q1"), (1, "q2")]
    (problem,) = report.problems
    assert "run0.csv contains no answer to 'q2'" in problem
    assert (report.rows_computed, report.metrics["unrecorded"]) == (3, 1.0)
    with pytest.raises(NotRecordedError):
        ReplayAnswerer(paths).answer(Question("q2", "?"), [], 0)


def test_a_blank_replay_is_never_deepened(tmp_path):
    paths = recorded(tmp_path, "q1,is_blank,is_blank,is_blank,,\n")
    settings = replay_settings(paths)
    table, _ = answer_questions(
        questions_table(("q1", "One?")),
        contexts_table({"q1": [snippet("text")]}),
        Engine(settings, GivenParts([build_answerer(settings)], object(), {})),
    )
    assert table.column("attempts").to_pylist() == [1]


def test_recorded_material_is_verified_in_the_snippets(tmp_path):
    paths = recorded(tmp_path, "q1,A,4,d,It weighs 4 kg.,\n")
    contexts = {"q1": [snippet("In all it weighs 4 kg.", "d")]}
    table, _ = replayed(paths, questions_table(("q1", "One?")), contexts, {"d": {"url": "https://example.org/d"}})
    (row,) = table.to_pylist()
    assert (row["supporting_materials"], row["ref_url"]) == ("It weighs 4 kg.", ["https://example.org/d"])
    assert row["citations"][0]["quote_found"]


def test_an_open_quote_in_a_recorded_file_costs_its_own_row_only(tmp_path):
    paths = recorded(tmp_path, 'q1,A,1,d,,\nq2,"B,2,d,,\nq3,C,3,d,,\n')
    table, report = replayed(paths, questions_table(("q1", "One?"), ("q2", "Two?"), ("q3", "Three?")))
    assert table.column("answer_value").to_pylist() == ["1", "3"]
    [problem] = report.problems
    assert "contains no answer to 'q2'" in problem
    assert "the row in line 3" in problem
    assert problem.endswith("close the quote)")


def test_a_replay_needs_readable_files_with_their_columns(tmp_path):
    with pytest.raises(SettingsError, match=r"replay\.runs"):
        ReplayAnswerer([])
    with pytest.raises(InputFileError, match="cannot be read"):
        ReplayAnswerer([tmp_path / "absent.csv"])
    with pytest.raises(InputFileError, match="lacks the column 'answer_value'"):
        ReplayAnswerer(recorded(tmp_path, b"id,answer\nq1,4\n"))


@pytest.mark.skipif(not WATTBOT.exists(), reason="the recorded WattBot runs are not here")
def test_real_runs_come_back_with_the_values_that_were_recorded():
    paths = sorted((WATTBOT / "train_runs").glob("*/submission.csv"))
    settings = replay_settings(paths)
    questions, _ = read_questions(WATTBOT / "train_QA.csv")
    table, report = answer_questions(
        questions, RETRIEVED_CONTEXT.empty_table(), Engine(settings, GivenParts([build_answerer(settings)], None, {}))
    )
    assert (table.num_rows, table.schema.equals(PREDICTIONS), report.problems) == (13 * 41, True, ())
    rows = {(row["run"], row["id"]): row for row in table.to_pylist()}
    for run, path in enumerate(paths):
        with path.open(newline="", encoding="utf-8-sig") as stream:
            for recorded_row in csv.DictReader(stream):
                row = rows[run, recorded_row["id"]]
                assert row["answer_value"] == (recorded_row["answer_value"] or "is_blank")
                assert row["ref_cell"] == recorded_row["ref_id"]
                cited = dict.fromkeys(re.findall(r"\w+", recorded_row["ref_id"].replace("ref_id=", "")))
                assert ",".join(row["ref_id"]) == ",".join(ref for ref in cited if ref != "is_blank")


SINGLE = sorted(
    path for path in (WATTBOT / "train_runs").glob("*/submission.csv") if "ensemble" not in path.parent.name
)


@pytest.fixture(scope="module")
def labelled():
    return read_questions(WATTBOT / "train_QA.csv")[0], read_rows(WATTBOT / "train_QA.csv")


def scored_through_the_stages(questions, paths, folder):
    """Replay `paths`, vote, write and score: the metrics of the stage, and the rows of the written submission."""
    settings = replay_settings(paths)
    answerer = build_answerer(settings)
    predictions, _ = answer_questions(
        questions, RETRIEVED_CONTEXT.empty_table(), Engine(settings, GivenParts([answerer], None, {}))
    )
    votes, _ = vote(predictions, settings.ensemble)
    write_csv(build_submission(votes, questions)[0], folder / "submission.csv")
    return score_answers(questions, votes, predictions)[1].metrics, read_rows(folder / "submission.csv")


@pytest.mark.skipif(not WATTBOT.exists(), reason="the recorded WattBot runs are not here")
@pytest.mark.parametrize("path", SINGLE, ids=lambda path: path.parent.name)
def test_a_single_run_scores_through_all_stages_as_its_file_does(path, labelled, tmp_path):
    questions, truth = labelled
    metrics, written = scored_through_the_stages(questions, [path], tmp_path)
    for metric in ANSWER_METRICS.names():
        of_file, of_submission = (score_rows(truth, rows, metric) for rows in (read_rows(path), written))
        for name in ("value", "ref", "na", "score"):
            stated = getattr(of_file, name)
            assert getattr(of_submission, name) == pytest.approx(stated, abs=1e-12)
            assert metrics[f"{metric}/ensemble/{name}"] == pytest.approx(stated, abs=1e-12)
        assert [row.score for row in of_submission.rows] == [row.score for row in of_file.rows]


@pytest.mark.skipif(not WATTBOT.exists(), reason="the recorded WattBot runs are not here")
def test_all_single_runs_in_one_table_score_as_their_files_do(labelled, tmp_path):
    assert len(SINGLE) == 12
    questions, truth = labelled
    metrics, _ = scored_through_the_stages(questions, SINGLE, tmp_path)
    for path in SINGLE:
        for metric in ANSWER_METRICS.names():
            stated = score_rows(truth, read_rows(path), metric)
            own = {name: metrics[f"{metric}/{path.parent.name}/{name}"] for name in ("value", "ref", "na", "score")}
            assert own == {name: pytest.approx(getattr(stated, name), abs=1e-12) for name in own}

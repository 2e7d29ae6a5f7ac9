"""The verb report, the report that a refresh writes, and what the UI is given of both reports."""

import csv
import json

import dagster as dg
import pytest
from click.testing import CliRunner
from stage_refresh import refresh_stages

from kohaku_assets.cli import main
from kohaku_assets.components.dagster_instance import dagster_instance
from kohaku_assets.experiments.sweep_runs import run_sweep
from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.project import Project
from kohaku_assets.records.error_reports import present_answers, report_folder, run_costs
from kohaku_lib.composition import override
from kohaku_lib.evaluation.report import gather_facts

TRUTH = "data/sample/questions.csv"


@pytest.fixture
def folder(fresh, monkeypatch):
    project = fresh()
    home = project.settings.corpus.questions.parents[2]
    monkeypatch.chdir(home)
    return home


def run(*arguments):
    return CliRunner().invoke(main, ["report", *map(str, arguments)])


def recorded(folder, name, change=lambda row: row):
    """A file of answers that are the true ones, but for what `change` makes of a row."""
    with (folder / TRUTH).open(encoding="utf-8", newline="") as stream:
        rows = [change(row) for row in csv.DictReader(stream)]
    with (folder / name).open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    return name


def wrong_numbers(row):
    return row | {"answer_value": "99999"} if row["answer_value"].isdigit() and len(row["answer_value"]) > 1 else row


def test_files_of_answers_become_a_page_and_markdown(folder):
    runs = [recorded(folder, "one.csv"), recorded(folder, "two.csv", wrong_numbers)]
    outcome = run(*runs, "--truth", TRUTH, "--out", "out")
    assert outcome.exit_code == 0, outcome.output
    assert {path.name for path in (folder / "out").iterdir()} == {"error_report.html", "error_report.md"}
    page = (folder / "out" / "error_report.html").read_text(encoding="utf-8")
    assert "answered by the vote of 2 runs" in page
    assert "wattbot (official)" in outcome.stdout
    assert "Fewer than two runs have a known cost" in page


def test_a_column_of_costs_is_summed_and_a_gap_makes_it_unknown(folder):
    runs = [
        recorded(folder, "one.csv", lambda row: row | {"cost_usd": "0.25"}),
        recorded(folder, "two.csv", lambda row: wrong_numbers(row) | {"cost_usd": "0.5"}),
        recorded(folder, "six.csv", lambda row: wrong_numbers(row) | {"cost_usd": "" if row["id"] == "k03" else "1"}),
    ]
    assert run(*runs, "--truth", TRUTH, "--out", "out").exit_code == 0
    text = (folder / "out" / "error_report.md").read_text(encoding="utf-8")
    cost_by_run = {
        row.split("|")[1].strip(): row.split("|")[-2].strip() for row in text.splitlines() if "| 12 |" in row
    }
    assert (cost_by_run["one"], cost_by_run["two"]) == ("3", "6")
    assert (cost_by_run["six"], cost_by_run["ensemble"]) == ("unknown", "unknown")


def test_contexts_of_retrieve_trace_losses_to_the_retrieval(folder):
    lines = [{"id": "k01", "queries": ["?"], "matches": [], "snippets": []}]
    (folder / "contexts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    runs = [recorded(folder, "one.csv", wrong_numbers)]
    assert run(*runs, "--truth", TRUTH, "--contexts", "contexts.jsonl", "--out", "out").exit_code == 0
    assert "document not retrieved" in (folder / "out" / "error_report.html").read_text(encoding="utf-8")
    (folder / "contexts.jsonl").write_text("[1]\n")
    outcome = run(*runs, "--truth", TRUTH, "--contexts", "contexts.jsonl")
    assert outcome.exit_code == 2
    assert "is not output of 'kohaku retrieve'" in outcome.stderr


def test_a_broken_run_is_left_out_and_told(folder):
    (folder / "empty.csv").write_text("id,question,answer_value\n")
    outcome = run(recorded(folder, "one.csv"), "empty.csv", "--truth", TRUTH, "--out", "out")
    assert outcome.exit_code == 0
    assert "'empty' was excluded from the vote: it holds no rows" in outcome.stderr


def test_a_truth_without_answers_is_refused(folder):
    (folder / "asked.csv").write_text("id,question\nk01,How much?\n")
    outcome = run(recorded(folder, "one.csv"), "--truth", "asked.csv")
    assert (outcome.exit_code, "needs questions with true answers" in outcome.stderr) == (2, True)


def test_truth_without_runs_is_refused(folder):
    outcome = run("--truth", TRUTH)
    assert (outcome.exit_code, "require RUNS" in outcome.stderr) == (2, True)


def test_without_files_the_present_answers_are_reported(folder):
    outcome = run("--out", "out")
    assert outcome.exit_code == 0, outcome.output
    assert "reader.0" in (folder / "out" / "error_report.html").read_text(encoding="utf-8")


def test_a_refresh_writes_the_report_and_the_ui_shows_it(fresh):
    project = fresh("report.blank_cost=0.25")
    for path in report_folder(project).glob("*"):
        path.unlink()
    report = refresh(project)
    assert list(report.outcomes) == ["error_report"]
    assert {path.name for path in report_folder(project).iterdir()} == {"error_report.html", "error_report.md"}
    with dagster_instance(project) as instance:
        event = instance.get_latest_materialization_event(dg.AssetKey("error_report"))
    shown = event.asset_materialization.metadata
    assert "](data:image/png;base64," in shown["report"].value
    assert shown["page"].value == str(report_folder(project) / "error_report.html")
    assert shown["official score"].value == pytest.approx(gather_facts(present_answers(project), 0.25).scores[0].score)


def test_without_truth_an_earlier_report_is_taken_away(fresh):
    project = fresh()
    asked = project.home / "asked.csv"
    asked.write_text("id,question\nk01,How much electricity did the whole workshop use in 2023?\n")
    assert (report_folder(project) / "error_report.html").is_file()
    other = Project(override(project.loaded, [f"corpus.questions={asked}"]))
    assert refresh_stages(other, ["error_report"]).failure is None
    assert not (report_folder(other) / "error_report.html").exists()


def test_a_readers_answers_cost_nothing_and_recorded_ones_are_unknown(fresh):
    project = fresh()
    assert present_answers(project).costs == {"reader.0": 0.0}


def ledger_line(run, question, cost, **more):
    call = {"stage": "predictions", "model": "m", "error": None, "run": run, "question_id": question, "cost_usd": cost}
    return json.dumps(call | more) + "\n"


def test_the_cost_of_a_run_is_that_of_the_last_call_for_each_question(fresh):
    project = fresh("llm.provider=openai", "answer.by=model", "llm.model=m", "ensemble.runs=3")
    folder = project.store / "llm_calls"
    folder.mkdir(exist_ok=True)
    (folder / "a.jsonl").write_text(
        ledger_line(0, "q1", 9.0)
        + ledger_line(0, "q1", 1.0)
        + ledger_line(0, "q2", 0.5)
        + ledger_line(0, "q3", 7.0, stage="query_plans")
        + ledger_line(0, "q3", 7.0, model="other")
        + ledger_line(0, "q3", None, error="down")
        + ledger_line(1, "q1", None)
        + '{"torn": '
    )
    assert run_costs(project, {run: f"m.{run}" for run in range(3)}) == {"m.0": 1.5}


def test_the_ui_shows_a_sweep_as_soon_as_it_has_run(fresh):
    sweep = (
        "{line = 'retrieval.consensus', line_values = ['score'], x = 'retrieval.top_k', x_values = [1, 4], runs = 1}"
    )
    project = fresh(f"sweep={{mine = {sweep}}}")
    run_sweep(project, "mine", lambda text: None)
    with dagster_instance(project) as instance:
        event = instance.get_latest_materialization_event(dg.AssetKey("sweep_report"))
    shown = event.asset_materialization.metadata
    assert shown["mine"].value.startswith("# Sweep mine\n\n![mine](data:image/png;base64,")
    assert "| retrieval.consensus | retrieval.top_k | runs |" in shown["mine"].value
    assert shown["mine, page"].value == str(project.store / "sweeps" / "mine" / "report.html")

"""Sweeps: every cell once, shared work once, a failed cell alone again, and nothing of the project's own disturbed."""

from functools import partial

import dagster as dg
import pytest

from kohaku_assets.assets.place import Place
from kohaku_assets.components.dagster_instance import dagster_instance
from kohaku_assets.definitions import own_defs
from kohaku_assets.experiments.assets import experiment_assets
from kohaku_assets.experiments.cells import is_finished, planned_cells
from kohaku_assets.experiments.sweep_runs import Rung, count_answers, run_sweep
from kohaku_lib.errors import KohakuError, SettingsError
from kohaku_lib.evaluation import read_rows, write_csv
from kohaku_lib.evaluation.sweeps.held_out import is_held_out

SWEEP = "{line = 'lexical.stemmer', line_values = [LINES], x = 'retrieval.top_k', x_values = XS, runs = 2}"


@pytest.fixture
def fresh(fresh):
    """As `fresh` elsewhere, but with three questions, as a sweep asks each of them in every cell."""
    asked = fresh().settings.corpus.questions
    rows = read_rows(asked)
    write_csv(rows[:3], asked, list(rows[0]))
    return fresh


def with_sweep(fresh, *lines, x_values=(2, 60)):
    named = ", ".join(f"'{line}'" for line in lines)
    return fresh(f"sweep={{mine = {SWEEP.replace('LINES', named).replace('XS', str(list(x_values)))}}}")


def quiet(text):
    return None


def test_a_sweep_runs_each_cell_once_and_leaves_the_project_as_it_was(fresh):
    before = fresh().statuses()
    project = with_sweep(fresh, "english", "none")
    first = run_sweep(project, "mine", quiet)
    assert (first.found, first.ran, dict(first.report.failures)) == (0, 4, {})
    assert [(cell.line, cell.x, cell.runs) for cell in first.report.cells] == [
        ("english", "2", 2),
        ("english", "60", 2),
        ("none", "2", 2),
        ("none", "60", 2),
    ]
    assert {path.name for path in first.folder.glob("report.*")} == {"report.md", "report.html", "report.png"}
    again = run_sweep(with_sweep(fresh, "english", "none"), "mine", quiet)
    assert (again.found, again.ran) == (4, 0)
    assert again.report.cells == first.report.cells
    assert fresh().statuses() == before


@pytest.mark.slow
def test_what_cells_share_is_computed_once(fresh):
    project = with_sweep(fresh, "none")
    run_sweep(project, "mine", quiet)
    stages = project.store / "stages"
    # One index for both values of top_k, beside the project's own; embeddings do not depend on the stemmer.
    assert len(list((stages / "lexical_index").glob("*.parquet"))) == 2
    assert len(list((stages / "sentence_embeddings").glob("*.parquet"))) == 1
    assert len(list((stages / "retrieved_context").glob("*.parquet"))) == 3


def test_a_failed_cell_stops_no_other_and_is_tried_again_alone(fresh):
    project = with_sweep(fresh, "klingon", "english", x_values=[60])
    first = run_sweep(project, "mine", quiet)
    assert (first.found, first.ran) == (0, 2)
    assert list(first.report.failures) == ["klingon, 60"]
    assert "lexical.stemmer must be" in first.report.failures["klingon, 60"]
    assert [cell.line for cell in first.report.cells] == ["english"]
    for name in ("report.html", "report.md"):
        assert "Failed: klingon, 60: lexical.stemmer must be" in (first.folder / name).read_text()
    again = run_sweep(project, "mine", quiet)
    assert (again.found, again.ran) == (1, 1)


def test_cells_are_partitions_whose_key_follows_the_settings(fresh):
    project = with_sweep(fresh, "english", x_values=[60])
    run_sweep(project, "mine", quiet)
    keys = [cell.key for cell in planned_cells(project, "mine")]
    with dagster_instance(project) as instance:
        assert set(keys) <= set(instance.get_dynamic_partitions("sweep_cells"))
        event = instance.get_latest_materialization_event(dg.AssetKey("experiment_scores"))
        assert event.dagster_event.partition in keys
        tags = instance.get_run_by_id(event.run_id).tags
    told = event.asset_materialization.metadata
    assert told["settings"].value == "ensemble.runs=2, lexical.stemmer=english, retrieval.top_k=60"
    assert 0 < told["wattbot"].value <= 1
    assert [column.name for column in told["dagster/column_schema"].value.columns if not column.description] == []
    assert (tags["kohaku/why"], tags["kohaku/set"]) == ("sweep mine", told["settings"].value)
    assert tags["kohaku/by"]
    other = with_sweep(partial(fresh, "retrieval.context_tokens=500"), "english", x_values=[60])
    assert not any(is_finished(other, cell) for cell in planned_cells(other, "mine"))
    assert other.paths.sweeps == project.paths.sweeps


@pytest.mark.slow
def test_cells_that_dagster_has_filled_in_are_in_the_report_of_the_next_sweep(fresh):
    project = with_sweep(fresh, "english")
    keys = [cell.key for cell in planned_cells(project, "mine")]
    defs = own_defs(project)
    with dagster_instance(project) as instance:
        instance.add_dynamic_partitions("sweep_cells", keys)  # as a sweep that was stopped has
        for key in keys:  # as a backfill does
            scores = [
                asset for asset in experiment_assets(project, Place()) if asset.key == dg.AssetKey("experiment_scores")
            ]
            assert dg.materialize(scores, partition_key=key, resources=dict(defs.resources), instance=instance).success
    page = project.paths.sweeps / "mine" / "report.html"
    assert not page.exists()
    result = run_sweep(with_sweep(fresh, "english"), "mine", quiet)
    assert (result.found, result.ran) == (2, 0)
    written = page.stat().st_mtime_ns
    assert run_sweep(with_sweep(fresh, "english"), "mine", quiet).ran == 0
    assert page.stat().st_mtime_ns == written
    with dagster_instance(project) as instance:
        report = instance.get_latest_materialization_event(dg.AssetKey("sweep_report"))
        assert "mine" in report.asset_materialization.metadata


def test_an_unknown_sweep_and_an_impossible_cell_are_refused(fresh):
    with pytest.raises(KohakuError, match="there is no sweep 'nothing'; add"):
        planned_cells(fresh(), "nothing")
    wrong = fresh("sweep={mine = {line = 'retrieval.top_k', line_values = [0], x = 'tree.id_base', x_values = [0]}}")
    with pytest.raises(SettingsError, match=r"retrieval.top_k must be"):
        planned_cells(wrong, "mine")


def halving(fresh, questions, lines=("english", "none")):
    named = ", ".join(f"'{line}'" for line in lines)
    return fresh(
        f"corpus.questions={questions}",
        f"sweep={{mine = {{line = 'lexical.stemmer', line_values = [{named}], x = 'retrieval.top_k', x_values = [2, 60], "
        "runs = 1, search = 'halving', eta = 2, least_questions = 2, held_out = 0.3}}",
    )


@pytest.fixture
def questions(home, tmp_path):
    """A file of eight questions, some of which are held out by their ids."""
    rows = read_rows(home / "data" / "sample" / "questions.csv")[:8]
    path = tmp_path / "eight.csv"
    write_csv([{**row, "id": f"q{number}"} for number, row in enumerate(rows)], path, list(rows[0]))
    return path


@pytest.mark.slow
def test_halving_asks_less_and_measures_the_winner_on_what_was_held_out(fresh, questions):
    first = run_sweep(halving(fresh, questions), "mine", quiet)
    apart = sum(is_held_out(f"q{number}", 0.3) for number in range(8))
    choosing = 8 - apart
    assert [rung.questions for rung in first.rungs] == [choosing // 2, choosing]
    assert [(rung.cells, len(rung.kept)) for rung in first.rungs] == [(4, 2), (2, 1)]
    assert first.asked == 4 * (choosing // 2) + 2 * (choosing - choosing // 2) + apart
    assert (first.asked_by_grid, first.ran) == (32, 4 + 2 + 1)
    assert (first.report.questions, first.report.held_out) == (8, apart)
    [winner] = first.report.cells
    assert (winner.line, winner.x) == first.rungs[-1].kept[0]
    again = run_sweep(halving(fresh, questions), "mine", quiet)
    assert (again.found, again.ran) == (7, 0)
    assert (again.rungs, again.report) == (first.rungs, first.report)


@pytest.mark.slow
def test_a_cell_that_fails_on_a_rung_is_out(fresh, questions):
    result = run_sweep(halving(fresh, questions, ("english", "klingon")), "mine", quiet)
    assert result.rungs[0].failed == (("klingon", "2"), ("klingon", "60"))
    assert {line for line, _ in result.rungs[0].kept} == {"english"}
    assert dict(result.report.failures) == {}


def test_halving_needs_questions(fresh):
    project = halving(fresh, "")  # an empty value drops the setting
    with pytest.raises(KohakuError):
        planned_cells(project, "mine")


def test_answers_are_counted_once():
    # 30 cells on 9 questions, 10 on 19 more, 4 on the last 13.
    rungs = [Rung(9, 30, (), ()), Rung(28, 10, (), ())]
    assert count_answers(rungs, 4, 41) == 270 + 190 + 52
    assert count_answers([], 12, 41) == 492


def test_a_sweep_over_three_settings_draws_its_cells(fresh):
    project = fresh(
        "sweep={mine = {line = 'lexical.stemmer', line_values = ['english', 'none'], x = 'retrieval.top_k', "
        "x_values = [2, 4, 8], also = {'retrieval.spelling' = [true, false]}, runs = 1, search = 'random', samples = 2}}"
    )
    result = run_sweep(project, "mine", quiet)
    assert (result.ran, dict(result.report.failures)) == (2, {})
    assert all(cell.line.endswith((", true", ", false")) for cell in result.report.cells)
    assert result.asked == result.asked_by_grid

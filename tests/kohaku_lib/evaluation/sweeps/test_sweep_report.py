"""Which cells a sweep has, what is kept of each, and what a report says about them."""

import pyarrow as pa
import pytest

from kohaku_lib.composition import load_settings, override
from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation import PRESETS, SweepCell, cell_scores, cells_of, report_sweep
from kohaku_lib.evaluation.report import sweep_markdown, sweep_page, sweep_picture
from kohaku_lib.settings import SweepSettings
from kohaku_lib.tables import RETRIEVAL_SCORES, SCORES, SWEEP_SCORES


def sweep_settings(**changes):
    given = {
        "line": "retrieval.consensus",
        "line_values": ("score", "none"),
        "x": "retrieval.top_k",
        "x_values": (4, 8),
    }
    return SweepSettings(**given | changes)


def scores_of(cells, metric="wattbot"):
    """Cells as {(line, x): [scores by question of each run]}."""
    rows = [
        {"line": line, "x": x, "run": run, "metric": metric, "id": f"q{question}", "score": score}
        for (line, x), runs in cells.items()
        for run, found in enumerate(runs)
        for question, score in enumerate(found)
    ]
    return pa.Table.from_pylist(rows, schema=SWEEP_SCORES)


def test_the_values_of_a_cell_stand_over_the_base():
    [first, *_] = cells_of("s", sweep_settings(base={"retrieval.top_k": 1, "documents.ocr": "off"}, runs=2))
    assert first.overrides == (
        "ensemble.runs=2",
        "retrieval.top_k=1",
        "documents.ocr=off",
        "retrieval.consensus=score",
        "retrieval.top_k=4",
    )


def test_a_random_search_draws_the_same_cells_again():
    sweep = sweep_settings(x_values=tuple(range(1, 40)), search="random", samples=7, seed=3)
    drawn = cells_of("s", sweep)
    assert len(set(drawn)) == 7
    assert drawn == cells_of("s", sweep)
    assert drawn != cells_of("s", sweep.model_copy(update={"seed": 4}))
    assert len(cells_of("s", sweep.model_copy(update={"samples": 1000}))) == 78


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_possible(name):
    loaded = load_settings(environment={})
    for cell in cells_of(name, PRESETS[name]):
        override(loaded, cell.overrides)


def score_rows(**score_by_member):
    rows = [
        {"member": member, "metric": "wattbot", "id": "q0", "value": 1.0, "ref": 0.5, "na": 1.0, "score": score}
        for member, score in score_by_member.items()
    ]
    return pa.Table.from_pylist(rows, schema=SCORES)


@pytest.mark.parametrize(("of", "expected"), [("runs", [(0, 0.2), (1, 0.4)]), ("ensemble", [(0, 0.9)])])
def test_a_cell_keeps_the_scores_of_its_runs_or_of_their_vote(of, expected):
    retrieval = pa.Table.from_pylist([{"id": "q0", "metric": "mrr", "value": 0.25}], schema=RETRIEVAL_SCORES)
    cell = SweepCell("s", "a", "4", ())
    table = cell_scores(cell, score_rows(ensemble=0.9, one=0.2, two=0.4), retrieval, of).to_pylist()
    assert [(row["run"], row["score"]) for row in table if row["metric"] == "wattbot"] == expected
    assert [row["score"] for row in table if row["metric"] == "wattbot/ref"] == [0.5] * len(expected)
    assert [(row["run"], row["score"]) for row in table if row["metric"] == "mrr"] == [(0, 0.25)]


def test_the_report_names_the_best_and_judges_the_choice_on_questions_kept_apart():
    good, poor = [1.0] * 20, [0.0] * 20
    scores = scores_of({("score", "4"): [poor, poor], ("score", "8"): [good, good], ("none", "4"): [poor, good]})
    report = report_sweep("s", sweep_settings(held_out=0.5), scores, {"none, 8": "out of memory"})
    assert [(cell.mean, cell.deviation, cell.is_best) for cell in report.cells] == [
        (0.0, 0.0, False),
        (1.0, 0.0, True),
        (0.5, 0.5, False),
    ]
    assert (report.chosen.line, report.chosen.x, report.held_out_mean) == ("score", "8", 1.0)
    assert 0 < report.held_out < 20
    text = sweep_markdown(report)
    assert "Best on all 20 questions: retrieval.consensus = score, retrieval.top_k = 8 with 1.000." in text
    assert "| score | 8 | 2 | 1.0000 | 0.0000 | 1.000 to 1.000, 20 documents | best |  |" in text
    assert "Failed: none, 8: out of memory" in text


def test_without_held_out_questions_all_choose():
    report = report_sweep("s", sweep_settings(held_out=0.0), scores_of({("score", "4"): [[1.0, 0.0]]}))
    assert (report.held_out, report.held_out_mean) == (0, None)
    assert "held out" not in sweep_markdown(report)


def test_the_page_holds_its_picture_and_no_markup_of_others():
    report = report_sweep("<b>", sweep_settings(), scores_of({("score", "4"): [[1.0]], ("score", "8"): [[0.0]]}))
    page = sweep_page(report)
    assert page.count("<svg") == 1
    assert "<b>" not in page
    assert page.count("<tr>") == 3


def test_the_page_says_how_many_cells_cannot_be_told_from_the_best():
    good, poor, close = [1.0] * 30, [0.0] * 30, [1.0] * 29 + [0.0]
    scores = scores_of({("score", "4"): [good], ("score", "8"): [poor], ("none", "4"): [close]})
    page = sweep_page(report_sweep("s", sweep_settings(held_out=0.0), scores))
    assert "1 of the 2 other cells do not differ significantly from the best one (p &lt; 0.05)." in page
    assert "3 cells, 1 run each, 30 questions, wattbot." in page


@pytest.mark.parametrize("xs", [("4", "16"), ("none", "tree")])
def test_the_picture_names_axes_lines_and_the_best_mean(xs):
    scores = scores_of({("score", xs[0]): [[1.0, 0.0]], ("score", xs[1]): [[0.0, 0.0]], ("none", xs[1]): [[0.0, 1.0]]})
    picture = sweep_picture(report_sweep("s", sweep_settings(held_out=0.0), scores))
    drawn = picture.svg()
    for said in ("retrieval.top_k", "retrieval.consensus", "best: 0.500", "wattbot, mean of 2 questions", *xs):
        assert f">{said}<" in drawn
    assert f"score, {xs[0]}: 0.500" in picture.alt
    assert picture.png().startswith(b"\x89PNG")


def test_a_metric_that_no_cell_has_is_refused_with_those_that_they_have():
    with pytest.raises(InputFileError, match=r"no score in 'mrr'|no cell .* 'mrr'; its metrics are \['wattbot'\]"):
        report_sweep("s", sweep_settings(metric="mrr"), scores_of({("score", "4"): [[1.0]]}))


def test_where_all_questions_would_be_held_out_none_is_and_the_choice_is_not_praised_by_itself():
    report = report_sweep("s", sweep_settings(held_out=0.999), scores_of({("a", "1"): [[0.9]], ("a", "2"): [[0.1]]}))
    assert (report.chosen.x, report.held_out, report.held_out_mean) == ("1", 0, None)


def test_what_halving_has_left_is_called_so():
    cells = scores_of({("a", "1"): [[0.9, 0.8]], ("a", "2"): [[0.1, 0.2]]})
    halved, whole = (report_sweep("s", sweep_settings(search=search), cells) for search in ("halving", "grid"))
    for form in (sweep_page, sweep_markdown):
        assert "survived all rungs" in form(halved)
        assert "survived all rungs" not in form(whole)

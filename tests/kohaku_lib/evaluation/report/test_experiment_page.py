from kohaku_lib.evaluation.experiments.record import failed_experiment, record_experiment
from kohaku_lib.evaluation.report.experiment_page import experiment_page

TRUTH = [{"id": "q1", "answer_value": "7", "ref_id": "['a']"}, {"id": "q2", "answer_value": "", "ref_id": ""}]


def experiment(name, value, **facts):
    known = {"name": name, "created": "2026-01-01", "source": "run"} | facts
    rows = [{"id": "q1", "answer_value": value, "ref_id": "['a']"}, {"id": "q2", "answer_value": "", "ref_id": ""}]
    table, results = record_experiment(known, rows, TRUTH)
    return table.to_pylist(), results.to_pylist()


def test_the_page_ranks_draws_flags_and_marks_every_question():
    good, right = experiment("good", "7", latency_s=2.0, gpu_energy_wh=1.0, size_b=7.0, model="M-7b")
    poor, wrong = experiment("<poor>", "9", latency_s=90.0, gpu_energy_wh=3.0, size_b=70.0, cpu_energy_wh=0.5)
    failed = failed_experiment({"name": "broken", "created": "2026-01-01", "source": "run"}, "no memory")[0].to_pylist()
    page = experiment_page([*poor, *good, *failed], [*wrong, *right])
    assert page.index("best first: good: 1.000") < page.index("&lt;poor&gt;")
    assert "<poor>" not in page
    assert "3 experiments, 2 with scores." in page
    assert "broken: no memory" in page
    assert "a question takes 90.0 s" in page
    for label in ("seconds per question", "watt-hours", "billions of parameters"):
        assert f"Official score by {label}" in page
    assert "1.000 to 1.000, 2 documents" in page
    assert "rests on only 2 documents" in page
    assert "US dollars" not in page  # no experiment has a cost
    assert page.count("✓") - page.count("✓:") == 3  # good has both right, the other the question without an answer


def test_without_experiments_there_is_a_page_without_pictures():
    assert "0 experiments, 0 with scores." in experiment_page([], [])

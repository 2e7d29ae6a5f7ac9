import pytest

from kohaku_lib.evaluation.experiments.record import imported_facts, record_experiment
from kohaku_lib.tables.experiments import EXPERIMENT_RESULTS, EXPERIMENTS

FACTS = {"name": "one", "created": "2026-01-01T00:00:00+00:00", "source": "run"}
TRUTH = [
    {"id": "q1", "answer_value": "7", "ref_id": "['a']"},
    {"id": "q2", "answer_value": "8", "ref_id": "['a']"},
]
ROWS = [
    {"id": "q1", "answer_value": "7", "ref_id": "['a']", "error": "", "attempts": 2, "latency_s": 1.0},
    {"id": "q2", "answer_value": "", "ref_id": "[]", "error": "timeout", "attempts": 1, "latency_s": 3.0},
    {"id": "q9", "answer_value": "1", "ref_id": "['a']", "error": "x"},  # has no truth
]


def test_an_experiment_has_its_scores_by_three_metrics_and_its_counts():
    table, results = record_experiment(FACTS, ROWS, TRUTH)
    assert (table.schema.equals(EXPERIMENTS), results.schema.equals(EXPERIMENT_RESULTS)) == (True, True)
    [row] = table.to_pylist()
    assert (row["questions"], row["correct"], row["blank"], row["errors"], row["retried"]) == (2, 1, 1, 1, 1)
    assert (row["wattbot_value"], row["latency_s"]) == (0.5, 2.0)
    assert row["wattbot"] == pytest.approx(0.75 * 0.5 + 0.15 * 0.5 + 0.10)
    assert row["vram_peak_bytes"] is None  # unknown
    assert [(one["id"], one["metric"], one["value"]) for one in results.to_pylist()] == [
        (name, metric, value) for metric in ("wattbot", "kohaku", "fork") for name, value in (("q1", 1.0), ("q2", 0.0))
    ]


def test_a_latency_that_is_stated_is_kept():
    [row] = record_experiment(FACTS | {"latency_s": 9.5}, ROWS, TRUTH)[0].to_pylist()
    assert row["latency_s"] == 9.5


def test_the_summary_of_a_fork_is_read_with_its_hardware_and_without_its_zeros():
    facts = imported_facts(
        {
            "timestamp": "2026-02-12",
            "model_id": "Qwen/Qwen2.5-7B-Instruct",
            "avg_latency_seconds": 11.4,
            "estimated_cost_usd": 0.0,
            "hardware": {"gpu_energy_wh": 17.9, "gpu_peak_power_watts": 451.36, "gpu_energy_method": "power_sampling"},
        }
    )
    assert facts == {
        "created": "2026-02-12",
        "model": "Qwen/Qwen2.5-7B-Instruct",
        "latency_s": 11.4,
        "gpu_energy_wh": 17.9,
        "gpu_peak_w": 451.36,
        "energy_method": "power_sampling",
    }

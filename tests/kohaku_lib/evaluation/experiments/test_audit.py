import pytest

from kohaku_lib.evaluation.experiments.audit import audit

GOOD = {
    "name": "good",
    "problem": None,
    "provider": "openrouter",
    "model": "m",
    "dtype": None,
    "settings_json": '{"llm.model": "m"}',
    "questions": 40,
    "errors": 4,
    "wattbot": 0.8,
    "kohaku": 0.79,
    "fork": 0.81,
    "stated_score": 0.815,
    "latency_s": 60.0,
    "input_tokens": 10,
    "output_tokens": 10,
    "cost_usd": 0.1,
}


def test_a_sound_experiment_has_no_flag():
    assert audit([GOOD]) == {"good": []}


@pytest.mark.parametrize(
    ("changes", "flag"),
    [
        ({"output_tokens": 0}, "its token counts are unknown"),
        ({"cost_usd": None}, "its cost is unknown"),
        ({"latency_s": 60.1}, "a question takes 60.1 s"),
        ({"errors": 5}, "5 of 40 questions failed"),
        ({"wattbot": 0.15, "stated_score": None}, "the score is broken (0.150)"),
        ({"wattbot": 0.39, "stated_score": None}, "the score is low (0.390)"),
        ({"stated_score": 0.83}, "its record states 0.830, which no metric gives again"),
        ({"problem": "it took more than 5 s", "wattbot": None}, "it took more than 5 s"),
    ],
)
def test_each_fault_is_flagged_alone(changes, flag):
    assert audit([GOOD | changes]) == {"good": [flag]}


def test_a_local_model_costs_nothing_and_rules_count_no_tokens():
    assert audit([GOOD | {"provider": "local", "cost_usd": None}]) == {"good": []}
    assert audit([GOOD | {"provider": "extractive", "cost_usd": None, "input_tokens": None}]) == {"good": []}


def test_the_second_of_two_runs_with_the_same_model_and_settings_is_flagged():
    assert audit([GOOD, GOOD | {"name": "again"}, GOOD | {"name": "other", "model": "n"}]) == {
        "good": [],
        "again": ["it repeats good"],
        "other": [],
    }

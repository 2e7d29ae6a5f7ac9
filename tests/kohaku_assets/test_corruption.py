"""A short form of benchmarks/corruption.py: seeded damage of every kind to files of every family."""

import shutil

import pytest
from damaged_stores import KINDS, add_ledger, present_families, run_trial

TRIALS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 14, 15, 16, 18)


@pytest.fixture(scope="module")
def base(home, built, tmp_path_factory):
    folder = shutil.copytree(home, tmp_path_factory.mktemp("base") / "base")
    add_ledger(folder)
    return folder


@pytest.mark.parametrize("number", TRIALS)
def test_damage_is_repaired_or_said_and_nothing_wrong_is_served_after_a_doctor(base, tmp_path, number):
    trial = run_trial(base, tmp_path / "home", number)
    assert trial.faults == [], trial


def test_the_trials_take_every_kind_of_damage_and_nearly_every_family(base):
    families = present_families(base)
    assert len(families) == 20
    assert {(number // len(families) + number) % len(KINDS) for number in TRIALS} == set(range(len(KINDS)))
    assert len({number % len(families) for number in TRIALS}) == len(TRIALS)

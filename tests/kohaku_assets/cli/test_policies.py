"""kohaku vote-policies over files of answers."""

import json

import pytest
from click.testing import CliRunner

from kohaku_assets.cli import main
from kohaku_lib.evaluation import write_csv


@pytest.fixture
def files(tmp_path):
    truth = [{"id": f"q{number}", "answer_value": "7", "ref_id": "['a']"} for number in range(4)]
    paths = [tmp_path / f"{name}.csv" for name in ("truth", "one", "two")]
    columns = ["id", "answer_value", "ref_id"]
    write_csv(truth, paths[0], columns)
    write_csv(truth, paths[1], columns)
    write_csv([{**row, "answer_value": "8"} for row in truth], paths[2], columns)
    return [str(path) for path in paths]


def test_policies_are_listed_with_settings_that_vote_takes(files):
    truth, *runs = files
    found = json.loads(CliRunner().invoke(main, ["vote-policies", *runs, "--truth", truth, "--json"]).stdout)
    assert len(found) == 29
    # Of two runs that disagree, ties blank out: only the references and abstentions are left.
    ways = {(one["ref_mode"], one.get("ignore_blank"), one.get("tie_break")): one for one in found}
    assert ways["answer_priority", True, "first"]["value"] == 1.0
    assert ways["answer_priority", True, "blank"]["value"] == 0.0


def test_a_person_is_told_that_one_pool_is_luck(files):
    truth, *runs = files
    result = CliRunner().invoke(main, ["vote-policies", *runs, "--truth", truth])
    assert result.exit_code == 0
    assert "--pools 20" in result.stderr
    assert "expected_score" in result.stdout
    again = CliRunner().invoke(main, ["vote-policies", *runs, "--truth", truth, "--pools", "2"])
    assert "--pools 20" not in again.stderr

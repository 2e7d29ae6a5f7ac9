"""kohaku tokens, map and check-citations over the built sample."""

import json

import pytest
from click.testing import CliRunner

from kohaku_assets.cli import main
from kohaku_lib.evaluation import read_rows, write_csv

pytestmark = pytest.mark.xdist_group("sample")


@pytest.fixture
def kohaku(fresh, monkeypatch):
    """Run the command in a private copy of the built project."""
    project = fresh()
    monkeypatch.chdir(project.home)

    def run(*arguments, fails=0):
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == fails, result.output
        return result

    run.project = project
    return run


def test_tokens_are_those_of_all_sentences(kohaku):
    report = json.loads(kohaku("tokens", "--json").stdout)
    assert report["tokenizer"] == "minilm"
    assert sum(count["tokens"] for count in report["documents"].values()) == report["corpus"]["tokens"] > 0
    assert report["contexts"]["texts"] == len(kohaku.project.files.latest_table("questions"))
    assert "contexts of the questions" in kohaku("tokens").stdout


def test_an_unknown_tokenizer_is_one_sentence(kohaku):
    (kohaku.project.home / "model").mkdir()
    assert "contains no config.json" in kohaku("tokens", "--tokenizer", "model", fails=1).stderr


@pytest.mark.parametrize("kind", ["paragraph", "sentence"])
def test_a_map_is_written_in_each_form(kohaku, kind):
    for suffix in (".png", ".html", ".json"):
        kohaku("map", "--out", f"m{suffix}", "--kind", kind, "--most", "12")
    points = json.loads((kohaku.project.home / "m.json").read_text())["points"]
    assert len(points) == 12
    assert {point["kind"] for point in points} == {kind}
    assert len({point["document_id"] for point in points}) == 4
    assert (kohaku.project.home / "m.png").read_bytes().startswith(b"\x89PNG")
    assert (kohaku.project.home / "m.html").read_text().count("<circle ") == 12


def test_a_map_of_another_form_is_refused(kohaku):
    assert "a map is a .png, .html or .json file" in kohaku("map", "--out", "m.gif", fails=2).stderr


def test_the_sample_cites_soundly_and_a_made_up_reference_is_found(kohaku):
    assert json.loads(kohaku("check-citations", "--json").stdout) == []
    rows = read_rows(kohaku.project.submission)
    write_csv([{**row, "ref_id": "['made-up']"} for row in rows], kohaku.project.home / "wrong.csv")
    faults = json.loads(kohaku("check-citations", "wrong.csv", "--json", fails=1).stdout)
    assert {fault["rule"] for fault in faults} == {"known_reference"}
    assert len(faults) == len(rows)
    assert "'made-up' is no document" in kohaku("check-citations", "wrong.csv", fails=1).stdout

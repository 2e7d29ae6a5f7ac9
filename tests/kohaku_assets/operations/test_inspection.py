"""kohaku tokens, map and check-citations over the built sample."""

import json

import pytest

from kohaku_lib.evaluation import read_rows, write_csv


def test_tokens_are_those_of_all_sentences(kohaku_checked):
    report = json.loads(kohaku_checked("tokens", "--json").stdout)
    assert report["tokenizer"] == "minilm"
    assert sum(count["tokens"] for count in report["documents"].values()) == report["corpus"]["tokens"] > 0
    assert report["contexts"]["texts"] == len(kohaku_checked.project.files.latest_table("questions"))
    assert "contexts of the questions" in kohaku_checked("tokens").stdout


def test_an_unknown_tokenizer_is_one_sentence(kohaku_checked):
    (kohaku_checked.project.home / "model").mkdir()
    assert "contains no config.json" in kohaku_checked("tokens", "--tokenizer", "model", code=1).stderr


@pytest.mark.parametrize("kind", ["paragraph", "sentence"])
def test_a_map_is_written_in_each_form(kohaku_checked, kind):
    for suffix in (".png", ".html", ".json"):
        kohaku_checked("map", "--out", f"m{suffix}", "--kind", kind, "--most", "12")
    points = json.loads((kohaku_checked.project.home / "m.json").read_text())["points"]
    assert len(points) == 12
    assert {point["kind"] for point in points} == {kind}
    assert len({point["document_id"] for point in points}) == 4
    assert (kohaku_checked.project.home / "m.png").read_bytes().startswith(b"\x89PNG")
    assert (kohaku_checked.project.home / "m.html").read_text().count("<circle ") == 12


def test_a_map_of_another_form_is_refused(kohaku_checked):
    assert "a map is a .png, .html or .json file" in kohaku_checked("map", "--out", "m.gif", code=2).stderr


def test_the_sample_cites_soundly_and_a_made_up_reference_is_found(kohaku_checked):
    assert json.loads(kohaku_checked("check-citations", "--json").stdout) == []
    rows = read_rows(kohaku_checked.project.submission)
    write_csv([{**row, "ref_id": "['made-up']"} for row in rows], kohaku_checked.project.home / "wrong.csv")
    faults = json.loads(kohaku_checked("check-citations", "wrong.csv", "--json", code=1).stdout)
    assert {fault["rule"] for fault in faults} == {"known_reference"}
    assert len(faults) == len(rows)
    assert "'made-up' is no document" in kohaku_checked("check-citations", "wrong.csv", code=1).stdout

"""A project that was moved goes on at its new place; what names the old one is made anew, or said with what helps."""

import json
import shutil
from pathlib import Path

import pytest

from kohaku_assets.definitions import own_defs
from kohaku_assets.pipeline.project import Project
from kohaku_assets.records.sql_views import write_sql_views
from kohaku_lib import open_project
from kohaku_lib.composition import load_settings

QUESTION = "How much electricity did the whole workshop use in 2023?"


@pytest.fixture
def move(kohaku, tmp_path, monkeypatch):
    """Return a function that moves the built project, which was used where it was, and gives its old and its new place."""
    old, new = kohaku.project.home, tmp_path / "elsewhere"
    write_sql_views(kohaku.project)

    def moved():
        shutil.move(old, new)
        monkeypatch.chdir(new)
        monkeypatch.setenv("DAGSTER_HOME", str(new / "dagster_home"))
        return old, new

    return moved


def findings(kohaku, **options):
    return {row["path"]: row["wrong"] for row in json.loads(kohaku("doctor", "--check", "--json", **options).stdout)}


@pytest.mark.parametrize("verb", ["refresh", "doctor"])
def test_a_moved_project_goes_on_and_names_its_old_place_nowhere(kohaku, move, verb):
    assert kohaku("ask", QUESTION).exit_code == 0
    old, new = move()
    assert kohaku("status", "--json").stdout.strip() == "[]"
    assert "41800 kWh" in kohaku("ask", QUESTION, "--unit", "kWh").stdout
    assert findings(kohaku) == {"kohaku.duckdb": "names the files of another place"}
    assert kohaku(verb).exit_code == 0
    assert findings(kohaku) == {}
    with open_project(new) as opened:
        assert len(opened.tables.nodes()) > 0
        assert len(opened.tables.scores()) > 0
    assert own_defs(Project(load_settings(environment={}, folder=new))).resolve_all_job_defs()
    store = [path for path in (new / "data" / "store").rglob("*") if path.is_file()]
    caches = (
        {"file_hashes.json", ".checked.json"} if verb == "doctor" else set()
    )  # by path; a refresh drops what is gone
    assert [path for path in store if path.name not in caches and bytes(old) in path.read_bytes()] == []
    assert not old.exists()


def test_a_folder_of_documents_that_stayed_behind_is_named_until_the_setting_is_corrected(kohaku, move):
    file = Path("kohaku.toml")
    text = file.read_text()
    documents = kohaku.project.settings.corpus.documents
    file.write_text(text.replace('"data/sample/documents"', f'"{documents}"'))
    assert kohaku("refresh").exit_code == 0
    move()
    message = "that corpus.documents names does not exist; create it or correct the setting"
    assert message in kohaku("status").stderr
    told = findings(kohaku)
    assert message in told[str(documents)]
    file.write_text(text)
    assert kohaku("status", "--json").stdout.strip() == "[]"
    assert findings(kohaku).keys() == told.keys() - {str(documents)}


def test_a_bucket_that_stayed_behind_is_named_until_the_setting_is_corrected(kohaku, move, tmp_path):
    bucket = kohaku.project.home / "bucket"
    at_old = [f"bucket.url=file://{bucket}", "lexical.k1=0.7", "release.gate=false"]
    assert kohaku("refresh", settings=at_old).exit_code == 0
    _, new = move()
    assert findings(kohaku, settings=at_old)["bucket"].endswith(
        "holds no state any more; correct bucket.url, or 'kohaku refresh' uploads all"
    )
    at_new = [f"bucket.url=file://{new / 'bucket'}", *at_old[1:]]
    assert "bucket" not in findings(kohaku, settings=at_new)
    assert kohaku("refresh", settings=at_old).exit_code == 0
    assert "bucket" not in findings(kohaku, settings=at_old)
    assert len(list(bucket.glob("objects/*/*"))) >= len(list((new / "bucket").glob("objects/*/*")))

"""The package under examples/: its kinds keep their contracts, and are known where it is installed."""

import doctest
import importlib
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from page_blocks import blocks_run_by

from kohaku_lib.testing import check_answer_metric, check_format, check_reranker

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "kohaku_extras"
SUBTITLES = """1
00:00:01,000 --> 00:00:04,000
The beehive of the roof
holds 31,000 bees.

2
00:00:05,000 --> 00:00:06,000

"""
PROGRAM = """
import json
from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.project import Project
from kohaku_lib.composition import load_settings

def opened(*overrides):
    return Project(load_settings(overrides=["rerank.kind=word_overlap", *overrides], environment={}))

def stale(project):
    return [status.asset for status in project.statuses() if status.status != "fresh"]

if __name__ == "__main__":
    report = refresh(opened())
    assert report.failure is None, report.failure
    documents = opened().present_table("documents").to_pylist()
    contexts = opened().present_table("retrieved_context").to_pylist()
    print(json.dumps({
        "formats": sorted({row["mime_type"] for row in documents}),
        "rerankers": sorted({json.loads(row["trace_json"])["refinement"]["reranked"]["by"] for row in contexts}),
        "metrics": list(dict.fromkeys(opened().present_table("scores")["metric"].to_pylist())),
        "stale": stale(opened()),
        "stale_by_the_setting": stale(opened("rerank.options.word_overlap.least_chars=9")),
    }))
"""


@pytest.fixture
def imported(monkeypatch):
    """Return a function that imports a module of the package."""
    monkeypatch.syspath_prepend(EXAMPLE)
    yield lambda module: importlib.import_module(f"kohaku_extras.{module}")
    for name in [name for name in sys.modules if name.split(".")[0] == "kohaku_extras"]:
        monkeypatch.delitem(sys.modules, name)


def test_the_kinds_keep_their_contracts(imported):
    check_reranker(imported("word_overlap").WORD_OVERLAP)
    check_format(imported("subtitles").SUBTITLES, SUBTITLES.encode())
    check_answer_metric(imported("exact_match").EXACT)


def test_each_kind_is_one_file_whose_examples_work(imported):
    modules = [imported(name) for name in ("word_overlap", "exact_match")]
    assert [doctest.testmod(module) for module in modules] == [doctest.TestResults(0, 1)] * 2
    assert sorted(path.stem for path in (EXAMPLE / "kohaku_extras").glob("*.py")) == [
        *("__init__", "exact_match", "subtitles", "word_overlap"),
    ]


def test_a_cue_becomes_a_paragraph(imported, tmp_path):
    (tmp_path / "bees.srt").write_text(SUBTITLES)
    payload = imported("subtitles").parse(tmp_path / "bees.srt", "bees", None)
    assert [one.text for one in payload.sections[0].paragraphs] == ["The beehive of the roof holds 31,000 bees."]


def test_the_page_on_own_kinds_shows_the_package_and_what_happens():
    named, *shown = blocks_run_by("test_the_page_on_own_kinds_shows_the_package_and_what_happens")
    assert named.text in (EXAMPLE / "pyproject.toml").read_text()
    for block in shown:
        test = doctest.DocTestParser().get_doctest(block.text, {}, block.name, None, None)
        assert doctest.DocTestRunner().run(test).failed == 0


@pytest.fixture
def installed(fresh, tmp_path):
    """Return a function that runs Python in a project where the package is installed, and returns what it prints."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    name = f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    (tmp_path / "packages" / name).mkdir(parents=True)
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (tmp_path / "packages" / name / "METADATA").write_text(metadata)
    groups = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in points.items())
        for group, points in project["entry-points"].items()
    ]
    (tmp_path / "packages" / name / "entry_points.txt").write_text("\n".join(groups))
    settings = fresh().settings
    (settings.corpus.documents / "bees.srt").write_text(SUBTITLES)
    folder = settings.corpus.documents.parents[2]

    def run(*arguments):
        path = os.pathsep.join(map(str, (EXAMPLE, tmp_path / "packages", ROOT)))
        command, environment = [sys.executable, *arguments], os.environ | {"PYTHONPATH": path}
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
        )

    return run


def test_the_package_is_known_where_it_is_installed(installed):
    done = installed("-c", PROGRAM)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert "application/x-subrip" in found["formats"]
    assert found["rerankers"] == ["word_overlap:4"]
    assert found["metrics"] == ["wattbot", "kohaku", "fork", "exact"]
    assert found["stale"] == []
    assert found["stale_by_the_setting"][0] == "retrieved_context"
    assert "documents" not in found["stale_by_the_setting"]


def test_the_command_line_shows_its_setting_and_refuses_an_unknown_one(installed):
    kohaku = ("-m", "kohaku_assets.cli", "settings", "--json", "--set")
    shown = json.loads(installed(*kohaku, "rerank.options.word_overlap.least_chars=9").stdout)
    assert shown["rerank.options.word_overlap.least_chars"] == {"value": 9, "from": "--set"}
    refused = installed(*kohaku, "rerank.options.word_overlap.least=9").stderr
    assert "there is no setting 'rerank.options.word_overlap.least' (--set)" in refused
    assert "did you mean rerank.options.word_overlap.least_chars?" in refused

"""One build of the sample corpus for all tests that look at it."""

import os
import shutil
from pathlib import Path

import pytest

from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.project import Project
from kohaku_lib.settings import load_settings

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "data" / "sample"


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    """A copy of the sample project whose files a test may change through a copy of its own."""
    folder = tmp_path_factory.mktemp("sample")
    shutil.copytree(SAMPLE, folder / "data" / "sample")
    shutil.copy(ROOT / "kohaku.toml", folder)
    (folder / "dagster_home").mkdir()
    shutil.copy(ROOT / "dagster_home" / "dagster.yaml", folder / "dagster_home")
    os.environ["DAGSTER_HOME"] = str(folder / "dagster_home")
    return folder


@pytest.fixture(scope="session")
def built(home):
    """The sample project, built once in this process, and the report of its first refresh."""
    project = Project(load_settings(environment={}, folder=home))
    report = refresh(project)
    assert report.failure is None, report.failure
    return project, report


@pytest.fixture
def fresh(home, built, tmp_path, monkeypatch):
    """Return a function that opens a private copy of the built project with overrides."""
    folder = tmp_path / "copy"
    shutil.copytree(home, folder)
    monkeypatch.setenv("DAGSTER_HOME", str(folder / "dagster_home"))

    def project(*overrides):
        return Project(load_settings(overrides=overrides, environment={}, folder=folder))

    return project

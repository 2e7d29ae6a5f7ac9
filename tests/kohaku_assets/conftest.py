"""One build of the sample corpus for all tests that look at it.

With KOHAKU_TEST_POSTGRES=1 Dagster keeps its history in a Postgres server of the tests, each test in a database of its own.
"""

import itertools
import os
import pickle
import shutil
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from filelock import FileLock
from killed_runs import copy_inputs
from postgres_server import PASSWORD, missing_postgres, postgres_server, write_to_postgres

from kohaku_assets.cli import main
from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.project import Project
from kohaku_lib.composition import load_settings

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "data" / "sample"
DATABASE, NUMBERS = "KOHAKU_TEST_DATABASE", itertools.count()


@pytest.fixture(scope="session")
def postgres():
    """A running Postgres server if the tests are to use one, else None."""
    if "KOHAKU_TEST_POSTGRES" not in os.environ:
        yield None
        return
    if missing := missing_postgres():
        pytest.skip(missing)
    with postgres_server() as server:
        os.environ |= {"KOHAKU_PG_USER": "kohaku", "KOHAKU_PG_PASSWORD": PASSWORD, DATABASE: "sample"}
        server.create("sample")
        yield server


@pytest.fixture(autouse=True)
def _own_history(request, postgres, monkeypatch):
    """Give every test a copy of the history of the sample project."""
    if postgres is not None and "home" in request.fixturenames:
        if "built" in request.fixturenames:
            request.getfixturevalue("built")  # before it is copied
        name = f"test{next(NUMBERS)}"
        postgres.create(name, "sample")
        monkeypatch.setenv(DATABASE, name)


@pytest.fixture(scope="session")
def home(tmp_path_factory, postgres):
    """A copy of the sample project whose files a test may change through a copy of its own."""
    folder = sample_project(tmp_path_factory.mktemp("sample"))
    if postgres is not None:
        write_to_postgres(folder / "dagster_home" / "dagster.yaml", postgres.port, f"{{env: {DATABASE}}}")
    os.environ["DAGSTER_HOME"] = str(folder / "dagster_home")
    return folder


def sample_project(folder):
    shutil.copytree(SAMPLE, folder / "data" / "sample")
    shutil.copy(ROOT / "kohaku.toml", folder)
    (folder / "dagster_home").mkdir()
    shutil.copy(ROOT / "dagster_home" / "dagster.yaml", folder / "dagster_home")
    return folder


@pytest.fixture(scope="session")
def built(home, postgres, tmp_path_factory):
    """The sample project, built once for all processes that run tests, and the report of its first refresh."""
    if postgres is not None:  # the history of each process is in a server of its own
        return opened(home), refreshed(home)
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    report = shared / "built.report"
    with FileLock(shared / "built.lock"), pytest.MonkeyPatch.context() as patch:
        if not report.exists():
            folder = shared / "built"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            sample_project(folder)
            patch.setenv("DAGSTER_HOME", str(folder / "dagster_home"))
            report.write_bytes(pickle.dumps(refreshed(folder)))
    shutil.copytree(shared / "built", home, dirs_exist_ok=True)
    return opened(home), pickle.loads(report.read_bytes())


@pytest.fixture(scope="session")
def unbuilt(home, built, tmp_path_factory):
    """The sample project before its first build, but for the caches of parsed documents and vectors, which cost most."""
    folder = copy_inputs(home, tmp_path_factory.mktemp("unbuilt") / "project")
    shutil.copytree(home / "data" / "store" / "cache", folder / "data" / "store" / "cache")
    return folder


def opened(folder, *overrides):
    return Project(load_settings(overrides=overrides, environment={}, folder=folder))


def refreshed(folder):
    report = refresh(opened(folder))
    assert report.failure is None, report.failure
    return report


@pytest.fixture
def fresh(home, built, tmp_path, monkeypatch):
    """Return a function that opens a private copy of the built project with overrides."""
    folder = tmp_path / "copy"
    shutil.copytree(home, folder)
    monkeypatch.setenv("DAGSTER_HOME", str(folder / "dagster_home"))

    return partial(opened, folder)


@pytest.fixture
def kohaku(fresh, monkeypatch):
    """Return a function that runs a verb in a private copy of the built project, `kohaku.project`."""
    project = fresh()
    monkeypatch.chdir(project.home)

    def run(*arguments, settings=()):
        overrides = [part for setting in settings for part in ("--set", setting)]
        return CliRunner().invoke(main, [*map(str, arguments), *overrides])

    run.project = project
    return run


@pytest.fixture
def kohaku_checked(kohaku):
    """Return a function that runs a verb like `kohaku` and asserts its exit code, 0 by default."""

    def run(*arguments, settings=(), code=0):
        result = kohaku(*arguments, settings=settings)
        assert result.exit_code == code, result.output
        return result

    run.project = kohaku.project
    return run

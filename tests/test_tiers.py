"""How tests are spread: groups and files over workers, and the part of the slow tier that a check runs."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import slow_tier

SUPPORT = Path(__file__).parent / "support"
CONFTEST = """
import groups

def pytest_collection_modifyitems(items):
    groups.name_groups(items)

def pytest_xdist_make_scheduler(config, log):
    return groups.FilesAndGroups(config, log)
"""
FILE = """
import os
import pytest
{mark}
@pytest.mark.parametrize("number", range(3))
def test_it(number):
    with open({out!r}, "a") as out:
        out.write(f"{name} {{os.environ['PYTEST_XDIST_WORKER']}}\\n")
"""


def test_a_group_runs_on_one_worker_and_a_file_too(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    out = tmp_path / "workers"
    for name, mark in {"a": "group", "b": "", "c": "group", "d": ""}.items():
        marked = f"pytestmark = pytest.mark.xdist_group({mark!r})" if mark else ""
        (tmp_path / f"test_{name}.py").write_text(FILE.format(name=name, mark=marked, out=str(out)))
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadgroup", "-p", "no:cacheprovider", "."]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    environment |= {"PYTHONPATH": str(SUPPORT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    ran = [line.split() for line in out.read_text().splitlines()]
    assert len(ran) == 12
    workers = {name: {worker for file, worker in ran if file == name} for name in "abcd"}
    assert {name: len(found) for name, found in workers.items()} == {"a": 1, "b": 1, "c": 1, "d": 1}
    assert workers["a"] == workers["c"]
    assert workers["a"] != workers["b"]  # those that come first go to different workers


def test_no_test_and_no_process_that_it_starts_ignores_the_interrupt():
    """Whatever started the tests: a script in the background ignores it."""
    code = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert (signal.getsignal(signal.SIGINT) is signal.SIG_IGN, told) == (False, "True\n")


@pytest.mark.parametrize(
    ("file", "changed", "is_run"),
    [
        ("tests/kohaku_lib/parallel/test_actors.py", [], False),
        ("tests/kohaku_lib/parallel/test_actors.py", None, True),
        ("tests/kohaku_lib/parallel/test_actors.py", ["kohaku_lib/parallel/actors.py"], True),
        ("tests/kohaku_lib/parallel/test_actors.py", ["kohaku_lib/parallel/deep/actors.py"], True),
        ("tests/kohaku_lib/parallel/test_actors.py", ["tests/kohaku_lib/parallel/test_memory.py"], True),
        ("tests/kohaku_lib/parallel/test_actors.py", ["kohaku_lib/answering/answer.py", "README.md"], False),
        ("tests/kohaku_assets/test_organisations.py", ["kohaku_assets/server/uploads.py"], True),
        ("tests/test_wheel.py", ["pyproject.toml"], True),
        ("tests/test_wheel.py", ["kohaku_lib/errors.py"], False),
    ],
)
def test_the_slow_tests_of_code_that_has_changed_are_run(file, changed, is_run):
    assert slow_tier.is_changed(file, changed) == is_run


def test_each_tree_runs_about_a_third_of_the_slow_files_and_other_trees_run_others():
    files = [f"tests/test_{number}.py" for number in range(300)]
    chosen = {tree: {file for file in files if slow_tier.in_third(tree, file)} for tree in ("one", "two")}
    assert all(75 < len(found) < 125 for found in chosen.values())
    assert chosen["one"] != chosen["two"]

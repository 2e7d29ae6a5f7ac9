"""Which tests `make test-changed` chooses: those that reach a change by imports, fixtures, kinds named by strings, and data."""

import pytest
from changed_tests import reaching_tests, seconds_by_file

FILES = {
    "kohaku_lib/__init__.py": "",
    "kohaku_lib/base.py": "",
    "kohaku_lib/middle.py": "def work():\n    from kohaku_lib.base import thing",
    "kohaku_lib/typed.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from kohaku_lib.base import Thing",
    "kohaku_lib/kinds.py": 'KIND = lazy("kohaku_lib.base:thing")',
    "kohaku_lib/reads.py": 'WEIGHTS = FOLDER / "weights.json"',
    "kohaku_assets/__init__.py": "",
    "tests/support/helper.py": "import kohaku_lib.base",
    "tests/kohaku_lib/test_base.py": "from kohaku_lib.base import thing",
    "tests/kohaku_lib/test_middle.py": "from kohaku_lib import middle",
    "tests/kohaku_lib/test_typed.py": "from kohaku_lib.typed import Thing",
    "tests/kohaku_lib/test_kinds.py": "from kohaku_lib.kinds import KIND",
    "tests/kohaku_lib/test_helped.py": "from helper import made",
    "tests/kohaku_lib/test_reads.py": "from kohaku_lib.reads import WEIGHTS",
    "tests/kohaku_lib/test_other.py": "import json",
    "tests/fixtures/conftest.py": "from kohaku_lib.base import thing",
    "tests/fixtures/test_fixture.py": "def test_it(thing): pass",
}


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.setattr("changed_tests.FACTS", tmp_path / "facts.json")
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def reached(tree, *changed):
    return [path.removeprefix("tests/") for path in reaching_tests(tree, changed) if path.startswith("tests/")]


@pytest.mark.parametrize("times", [1, 2])
def test_imports_fixtures_and_strings_reach_a_module_nearest_first(tree, times):
    *_, found = [reached(tree, "kohaku_lib/base.py") for _ in range(times)]  # the second time from what is kept
    assert found[0] == "kohaku_lib/test_base.py"
    assert set(found[1:]) == {
        "kohaku_lib/test_middle.py",
        "kohaku_lib/test_typed.py",
        "kohaku_lib/test_kinds.py",
        "kohaku_lib/test_helped.py",
        "fixtures/test_fixture.py",
    }


def test_of_files_as_near_those_whose_folder_mirrors_most_of_the_changed_one_come_first(tree):
    for name in ("kohaku_lib/deep/inner/part.py", "kohaku_lib/deep/__init__.py", "kohaku_lib/deep/inner/__init__.py"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("")
    for name in ("kohaku_assets/test_a.py", "kohaku_lib/test_b.py", "kohaku_lib/deep/test_c.py"):
        (tree / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / "tests" / name).write_text("from kohaku_lib.deep.inner import part")
    found = reached(tree, "kohaku_lib/deep/inner/part.py")
    assert found == ["kohaku_lib/deep/test_c.py", "kohaku_lib/test_b.py", "kohaku_assets/test_a.py"]


def test_a_test_beside_the_change_comes_first_though_it_imports_the_package_alone(tree):
    (tree / "kohaku_lib" / "deep").mkdir()
    (tree / "kohaku_lib" / "deep" / "__init__.py").write_text("from kohaku_lib.deep.part import thing")
    (tree / "kohaku_lib" / "deep" / "part.py").write_text("from kohaku_lib.base import thing")
    (tree / "kohaku_lib" / "user.py").write_text("from kohaku_lib.deep.part import thing")
    (tree / "tests" / "kohaku_lib" / "deep").mkdir()
    (tree / "tests" / "kohaku_lib" / "deep" / "test_part.py").write_text("from kohaku_lib.deep import thing")
    (tree / "tests" / "kohaku_lib" / "test_user.py").write_text("from kohaku_lib.user import work")
    assert reached(tree, "kohaku_lib/deep/part.py") == ["kohaku_lib/deep/test_part.py", "kohaku_lib/test_user.py"]


def test_a_module_that_others_do_not_import_reaches_its_own_tests_alone(tree):
    assert reached(tree, "kohaku_lib/middle.py") == ["kohaku_lib/test_middle.py"]


def test_a_kind_reaches_the_tests_of_what_looks_kinds_up_in_its_registry(tree):
    files = {
        "kohaku_lib/registry.py": "",
        "kohaku_lib/ways/__init__.py": "",
        "kohaku_lib/ways/interface.py": "from kohaku_lib.registry import Registry\nWAYS = Registry(folder=__package__)",
        "kohaku_lib/ways/by_foot.py": "from kohaku_lib.ways.interface import WAYS\nWAYS.register(1)",
        "kohaku_lib/travel.py": "from kohaku_lib.ways.interface import WAYS",
        "tests/kohaku_lib/test_travel.py": "from kohaku_lib.travel import go",
    }
    for name, text in files.items():
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_text(text)
    assert reached(tree, "kohaku_lib/ways/by_foot.py") == ["kohaku_lib/test_travel.py"]
    assert reached(tree, "kohaku_lib/travel.py") == ["kohaku_lib/test_travel.py"]


def test_a_changed_test_and_a_changed_helper_are_reached(tree):
    assert reached(tree, "tests/kohaku_lib/test_other.py") == ["kohaku_lib/test_other.py"]
    assert reached(tree, "tests/support/helper.py") == ["kohaku_lib/test_helped.py"]


def test_a_data_file_is_reached_by_its_name(tree):
    (tree / "kohaku_lib" / "weights.json").write_text("{}")
    assert reached(tree, "kohaku_lib/weights.json") == ["kohaku_lib/test_reads.py"]


def test_a_changed_module_is_run_for_its_doctests(tree):
    assert next(iter(reaching_tests(tree, ["kohaku_lib/base.py"]))) == "kohaku_lib/base.py"


def test_a_removed_module_is_reached_by_what_still_imports_it(tree):
    (tree / "kohaku_lib" / "base.py").unlink()
    found = list(reaching_tests(tree, ["kohaku_lib/base.py"]))
    assert found[0] == "tests/kohaku_lib/test_base.py"


def test_a_file_that_is_half_written_hides_no_other(tree):
    (tree / "kohaku_lib" / "typed.py").write_text("def work(:")
    assert reached(tree, "kohaku_lib/middle.py") == ["kohaku_lib/test_middle.py"]


def test_the_seconds_of_a_file_are_those_of_its_tests(tmp_path):
    costs = tmp_path / "costs.jsonl"
    costs.write_text(
        '{"kind": "setup", "name": "tests/test_a.py::test_1", "wall_s": 0.5}\n'
        '{"kind": "fixture", "name": "tests::project", "wall_s": 0.5}\n'
        '{"kind": "call", "name": "tests/test_a.py::test_2[x::y]", "wall_s": 1.0}\n'
    )
    assert seconds_by_file(costs) == {"tests/test_a.py": 1.5}
    assert seconds_by_file(tmp_path / "none.jsonl") == {}

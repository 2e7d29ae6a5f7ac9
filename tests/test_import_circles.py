"""No module of ours reaches itself through imports, those within functions and those for types included."""

from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from import_graph import import_graph

ROOT = Path(__file__).resolve().parents[1]


def circle(graph: dict[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_module_imports_itself_through_others():
    assert " → ".join(reversed(circle(import_graph(ROOT)))) == ""


@pytest.mark.parametrize(
    ("first", "is_circle"),
    [
        ("from kohaku_lib.b import thing", True),
        ("def work():\n    import kohaku_lib.b", True),
        ("from . import b", True),
        ("from .b import thing", True),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from kohaku_lib.b import thing", True),
        ("import json", False),
    ],
)
def test_imports_within_functions_and_for_types_make_circles(tmp_path, first, is_circle):
    folder = tmp_path / "kohaku_lib"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "a.py").write_text(first)
    (folder / "b.py").write_text("from kohaku_lib import a")
    assert bool(circle(import_graph(tmp_path))) is is_circle

"""No module of ours reaches itself through imports, those within functions included."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("kohaku_lib", "kohaku_assets")


def module_name(path: Path, root: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def import_graph(root: Path) -> dict[str, set[str]]:
    """Each module to the modules of ours that it imports anywhere but under TYPE_CHECKING."""
    paths = {module_name(path, root): path for package in PACKAGES for path in (root / package).rglob("*.py")}
    return {name: set(imported(ast.parse(path.read_text("utf-8")), name, paths)) for name, path in paths.items()}


def imported(node: ast.AST, name: str, paths: dict[str, Path]) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        if isinstance(child, ast.Import):
            targets = [alias.name for alias in child.names]
        elif isinstance(child, ast.ImportFrom):
            base = absolute(child, name, paths)
            targets = [f"{base}.{alias.name}" for alias in child.names]
        else:
            targets = []
        yield from {found for target in targets if (found := nearest(target, paths)) and found != name}
        yield from imported(child, name, paths)


def absolute(node: ast.ImportFrom, name: str, paths: dict[str, Path]) -> str:
    if not node.level:
        return node.module or ""
    package = name.split(".") if paths[name].stem == "__init__" else name.split(".")[:-1]
    return ".".join([*package[: len(package) - node.level + 1], *([node.module] if node.module else [])])


def nearest(target: str, paths: dict[str, Path]) -> str:
    """The module that `target` is or that defines it; "" where it is none of ours."""
    while target and target not in paths:
        target = target.rpartition(".")[0]
    return target


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
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from kohaku_lib.b import thing", False),
        ("import json", False),
    ],
)
def test_imports_within_functions_make_circles_and_those_of_types_do_not(tmp_path, first, is_circle):
    folder = tmp_path / "kohaku_lib"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "a.py").write_text(first)
    (folder / "b.py").write_text("from kohaku_lib import a")
    assert bool(circle(import_graph(tmp_path))) is is_circle

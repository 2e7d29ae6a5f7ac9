"""Which module imports which: all imports of the two packages, those within functions too, those of types alone left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGES = ("kohaku_lib", "kohaku_assets")


def import_graph(root: Path) -> dict[str, set[str]]:
    """Return each module's name with the names of our modules that it imports anywhere but under TYPE_CHECKING."""
    paths = {_module_name(path, root): path for package in PACKAGES for path in (root / package).rglob("*.py")}
    return {name: set(_imported(ast.parse(path.read_text("utf-8")), name, paths)) for name, path in paths.items()}


def folder_graph(graph: dict[str, set[str]], package: str) -> dict[str, set[str]]:
    """Return the folders and top-level modules of `package` with those of them that they import.

    Example:
        >>> found = folder_graph({"a.x.one": {"a.y.two", "a.x.three"}, "a.y.two": set()}, "a")
        >>> {name: sorted(imported) for name, imported in found.items()}
        {'x': ['y'], 'y': []}

    """
    found: dict[str, set[str]] = {}
    for name, imported in graph.items():
        folder = _folder(name, package)
        if folder:
            reached = {_folder(other, package) for other in imported}
            found.setdefault(folder, set()).update(reached - {folder, ""})
    return found


def without_detours(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return a graph without circles reduced to the edges that no longer path replaces.

    Example:
        >>> without_detours({"a": {"b", "c"}, "b": {"c"}, "c": set()})["a"]
        {'b'}

    """
    return {name: {end for end in ends if not _reaches(graph, ends - {end}, end)} for name, ends in graph.items()}


def _reaches(graph: dict[str, set[str]], starts: set[str], end: str) -> bool:
    seen, pending = set(starts), list(starts)
    while pending:
        new = graph.get(pending.pop(), set()) - seen
        seen |= new
        pending += new
    return end in seen


def _folder(name: str, package: str) -> str:
    parts = name.split(".")
    return parts[1] if parts[0] == package and len(parts) > 1 else ""


def _module_name(path: Path, root: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def _imported(node: ast.AST, name: str, paths: dict[str, Path]) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        if isinstance(child, ast.Import):
            targets = [alias.name for alias in child.names]
        elif isinstance(child, ast.ImportFrom):
            base = _absolute(child, name, paths)
            targets = [f"{base}.{alias.name}" for alias in child.names]
        else:
            targets = []
        yield from {found for target in targets if (found := _nearest(target, paths)) and found != name}
        yield from _imported(child, name, paths)


def _absolute(node: ast.ImportFrom, name: str, paths: dict[str, Path]) -> str:
    if not node.level:
        return node.module or ""
    package = name.split(".") if paths[name].stem == "__init__" else name.split(".")[:-1]
    return ".".join([*package[: len(package) - node.level + 1], *([node.module] if node.module else [])])


def _nearest(target: str, paths: dict[str, Path]) -> str:
    """Return the module that `target` is or that defines it; "" for those of others."""
    while target and target not in paths:
        target = target.rpartition(".")[0]
    return target

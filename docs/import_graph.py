"""Which module imports which: all imports of the two packages, those within functions and those of types alone included."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

PACKAGES = ("kohaku_lib", "kohaku_assets")


Import = tuple[
    int, str, tuple[str, ...]
]  # as in ast.ImportFrom: level, module, names; names are empty of `import MODULE`


def import_graph(root: Path) -> dict[str, set[str]]:
    """Return each module's name with the names of our modules that it imports anywhere."""
    paths = {module_name(path, root): path for package in PACKAGES for path in (root / package).rglob("*.py")}
    return {
        name: set(imported_modules(imports_of(ast.parse(path.read_text("utf-8"))), name, paths))
        for name, path in paths.items()
    }


def imports_of(tree: ast.AST) -> list[Import]:
    """Return all imports of a module as they are written.

    >>> imports_of(ast.parse("import json; from . import other"))
    [(0, 'json', ()), (1, '', ('other',))]
    """
    found: list[Import] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(0, alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.level, node.module or "", tuple(alias.name for alias in node.names)))
    return found


def imported_modules(imports: Iterable[Import], name: str, paths: Mapping[str, Path]) -> Iterator[str]:
    """Yield those modules of `paths` that the imports of module `name` load or take a name of."""
    for level, module, names in imports:
        base = _absolute(level, module, name, paths)
        for target in [f"{base}.{one}" for one in names] or [base]:
            found = _nearest(target, paths)
            if found and found != name:
                yield found


def module_name(path: Path, root: Path) -> str:
    """Return the dotted name of the module at `path`.

    >>> module_name(Path("/a/kohaku_lib/text/__init__.py"), Path("/a"))
    'kohaku_lib.text'
    """
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


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


def _absolute(level: int, module: str, name: str, paths: Mapping[str, Path]) -> str:
    if not level:
        return module
    package = name.split(".") if paths[name].stem == "__init__" else name.split(".")[:-1]
    return ".".join([*package[: len(package) - level + 1], *([module] if module else [])])


def _nearest(target: str, paths: Mapping[str, Path]) -> str:
    """Return the module that `target` is or that defines it; "" for those of others."""
    while target and target not in paths:
        target = target.rpartition(".")[0]
    return target

"""The page docs/architecture.md: the folders of both packages, and which imports which, read from the code."""

from __future__ import annotations

import ast
from pathlib import Path

from drawing import draw_graph
from import_graph import folder_graph, import_graph, without_detours

ROOT = Path(__file__).resolve().parents[1]
FLOW = (
    "documents",
    "tree",
    "embedding",
    "index",
    "retrieval",
    "answering",
    "suggestions",
    "evaluation",
    "composition",
    "project",
    "conversation",
)
TEXT = """# Architecture

Generated from the imports by `make docs`. An arrow means "imports"; imports that a longer path implies are left out.

## kohaku_lib: the library, without Dagster

Data flows from `documents` to `conversation`. Below the flow lie the folders and modules that every stage may import.

![The folders of the library; an arrow means that one imports the other](images/library.svg)

{library_table}

## kohaku_assets: the platform

Assets are thin: `assets` makes one of each stage in `pipeline` and its step in `steps`, which calls the library.

![The folders of the platform; an arrow means that one imports the other](images/platform.svg)

{platform_table}
"""


def architecture_page() -> str:
    """Return the page as Markdown."""
    graph = import_graph(ROOT)
    library, platform = (folder_graph(graph, package) for package in ("kohaku_lib", "kohaku_assets"))
    return TEXT.format(library_table=_table("kohaku_lib", library), platform_table=_table("kohaku_assets", platform))


def library_picture() -> str:
    """Return the folders of the library that data flows through, and which imports which."""
    library = folder_graph(import_graph(ROOT), "kohaku_lib")
    return draw_graph(without_detours({name: library[name] & set(FLOW) for name in FLOW}))


def platform_picture() -> str:
    """Return the folders of the platform, and which imports which."""
    return draw_graph(without_detours(folder_graph(import_graph(ROOT), "kohaku_assets")))


def _table(package: str, graph: dict[str, set[str]]) -> str:
    rows = [f"| `{package}/{name}` | {_purpose(ROOT / package / name)} |" for name in sorted(graph)]
    return "\n".join(["| where | what |", "|---|---|", *rows])


def _purpose(place: Path) -> str:
    """Return the first line of the docstring of a folder or module."""
    path = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return text.partition("\n")[0]

"""The page docs/architecture.md: the folders of both packages, and which imports which, read from the code."""

from __future__ import annotations

import ast
from pathlib import Path

from import_graph import folder_graph, import_graph, without_detours

ROOT = Path(__file__).resolve().parents[1]
FLOW = ("documents", "tree", "embedding", "index", "retrieval", "answering", "evaluation", "service", "assistant")
TEXT = """# Architecture

Generated from the imports by `make docs`. An arrow means "imports"; imports that a longer path implies are left out.

## kohaku_lib: the library, without Dagster

Data flows from `documents` to `assistant`. Below the flow lie the folders and modules that every stage may import.

{library}

{library_table}

## kohaku_assets: the platform

Assets are thin: `assets` makes one of each stage in `pipeline` and its step in `steps`, which calls the library.

{platform}

{platform_table}
"""


def architecture_page() -> str:
    """Return the page as Markdown, with diagrams in Mermaid."""
    graph = import_graph(ROOT)
    library, platform = (folder_graph(graph, package) for package in ("kohaku_lib", "kohaku_assets"))
    flow = {name: library[name] & set(FLOW) for name in FLOW}
    return TEXT.format(
        library=_diagram(flow),
        library_table=_table("kohaku_lib", library),
        platform=_diagram(platform),
        platform_table=_table("kohaku_assets", platform),
    )


def _diagram(graph: dict[str, set[str]]) -> str:
    lines = [
        f"    {name} --> {other}" for name, ends in sorted(without_detours(graph).items()) for other in sorted(ends)
    ]
    return "\n".join(["```mermaid", "flowchart TD", *lines, "```"])


def _table(package: str, graph: dict[str, set[str]]) -> str:
    rows = [f"| `{package}/{name}` | {_purpose(ROOT / package / name)} |" for name in sorted(graph)]
    return "\n".join(["| where | what |", "|---|---|", *rows])


def _purpose(place: Path) -> str:
    """Return the first line of the docstring of a folder or module."""
    path = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return text.partition("\n")[0]

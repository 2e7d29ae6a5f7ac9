"""Prints five figures of the tree that a change is to keep low; CONTRIBUTING.md says what each means."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from generate import PAGES
from import_graph import PACKAGES, import_graph

from kohaku_lib.settings import leaf_fields

ROOT = Path(__file__).resolve().parents[2]
COSTS = ROOT / ".venv" / "costs.jsonl"  # which `make test` writes
ESCAPES = re.compile(r"\\[pP]\{[^}]*\}|\\[a-zA-Z]|\(\?P<\w+>|\(\?P=\w+\)|\(\?[a-zA-Z]+[:)]")
WORD = re.compile(r"[^\W\d_]{3}")


def main() -> None:
    """Print the figures, one to a line."""
    texts = {path: path.read_text("utf-8") for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    trees = [ast.parse(text) for text in texts.values()]
    lines = sum(len(text.splitlines()) for text in texts.values())
    rows = [
        (f"{sum(map(count_statements, trees)):,} in {lines:,}", "statements in lines of both packages"),
        (len(set(circular(import_graph(ROOT)))), "files in circles of imports, types counted"),
        (len(undescribed_settings()), "settings that no page names but generated ones"),
        (sum(spells_words(pattern) for tree in trees for pattern in patterns(tree)), "regular expressions of words"),
        (processor_seconds(COSTS), "processor seconds of the last make test, children counted"),
    ]
    for figure, meaning in rows:
        print(f"{figure:>22}  {meaning}")


def count_statements(tree: ast.AST) -> int:
    """Return the number of statements, docstrings left out.

    >>> count_statements(ast.parse('def work(): "Say it."; return 1'))
    2
    """
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    return sum(not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) for node in nodes)


def circular(graph: dict[str, set[str]]) -> Iterator[str]:
    """Yield the modules that reach themselves.

    >>> sorted(circular({"a": {"b"}, "b": {"a"}, "c": {"a"}}))
    ['a', 'b']
    """
    for start, ends in graph.items():
        seen, pending = set[str](), list(ends)
        while pending and start not in seen:
            name = pending.pop()
            if name not in seen:
                seen.add(name)
                pending += graph[name]
        if start in seen:
            yield start


def undescribed_settings() -> list[str]:
    """Return the settings whose name stands on no hand-written page, in full or as its last part in a table of TOML."""
    pages = [path for path in [*(ROOT / "docs").glob("*.md"), ROOT / "README.md"] if path.name not in PAGES]
    text = "\n".join(path.read_text("utf-8") for path in pages)
    return [key for key in leaf_fields() if key not in text and f"{key.rpartition('.')[2]} = " not in text]


def patterns(tree: ast.AST) -> Iterator[str]:
    """Yield the regular expressions of a module: the constants that functions of `re` or `regex` get first."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id in ("re", "regex"):
                yield "".join(_constants(node.args[0]))


def _constants(node: ast.AST) -> Iterable[str]:
    parts = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant))
    return (part for part in parts if isinstance(part, str))


def spells_words(pattern: str) -> bool:
    r"""Tell whether a pattern has three letters in a row outside escapes and names of groups.

    >>> spells_words(r"(?P<year>\d{4})\b"), spells_words(r"\bper(?:mit)?")
    (False, True)
    """
    return WORD.search(ESCAPES.sub("", pattern)) is not None


def processor_seconds(costs: Path) -> str:
    """Return the seconds of the processor in the rows of tests/support/costs.py; "unknown" without them."""
    if not costs.exists():
        return "unknown"
    rows = [json.loads(line) for line in costs.read_text("utf-8").splitlines()]
    return f"{sum(row['own_s'] + row['children_s'] for row in rows if row['kind'] != 'fixture'):,.0f}"


if __name__ == "__main__":
    main()

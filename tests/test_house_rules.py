"""Rules of the house: who may import whom, docs that cannot drift, and the model we ship on."""

import ast
import importlib.util
import re
from pathlib import Path

import pytest
from import_graph import folder_graph, import_graph

ROOT = Path(__file__).resolve().parents[1]
FLOW = [
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
]
SHARED = {"errors", "digests", "settings", "tables", "values", "storage", "llm"}
SHARED |= {
    "parallel",
    "http_exchange",
    "masking",
    "kinds",
    "registry",
    "text",
    "html_pages",
    "prompts",
    "version",
    "install_command",
    "openvino_runtime",
}
LAYERS = [
    "pipeline",
    "components",
    "records",
    "steps",
    "assets",
    "experiments",
    "definitions",
    "operations",
    "deployment",
    "server",
    "cli",
]
MODULES = sorted((ROOT / "kohaku_lib").rglob("*.py"))


def imports(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {part for node in ast.walk(tree) if _is_for_types(node) for part in ast.walk(node)}
    for node in ast.walk(tree):
        if node in for_types:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def _is_for_types(node):
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_library_imports_neither_dagster_nor_the_platform_and_data_flows_one_way(path):
    parts = path.relative_to(ROOT / "kohaku_lib").with_suffix("").parts
    for name in imports(path):
        assert name.split(".")[0] not in {"dagster", "kohaku_assets"}, f"{path} imports {name}"
        if name.startswith("kohaku_lib."):
            target = name.split(".")[1]
            if parts[0] in FLOW and target not in SHARED:
                assert FLOW.index(target) <= FLOW.index(parts[0]), f"{path} imports {name}"
            if parts[0] in SHARED:
                assert target in SHARED, f"{path} imports {name}"


@pytest.mark.parametrize("path", sorted((ROOT / "kohaku_lib" / "text").glob("*.py")), ids=lambda path: path.stem)
def test_text_is_a_leaf_that_any_package_may_import(path):
    below = ("kohaku_lib.text.", "kohaku_lib.errors", "kohaku_lib.masking", "kohaku_lib.lean_imports")
    assert [name for name in imports(path) if name.startswith("kohaku_lib") and not name.startswith(below)] == []


def test_each_folder_of_the_platform_imports_only_those_below_it():
    folders = folder_graph(import_graph(ROOT), "kohaku_assets")
    upward = {name: sorted(found & set(LAYERS[LAYERS.index(name) :])) for name, found in folders.items()}
    assert {name: found for name, found in upward.items() if found} == {}


def test_the_generated_pages_are_those_of_the_code():
    spec = importlib.util.spec_from_file_location("generate_docs", ROOT / "docs" / "generate.py")
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    for name, page in generate.PAGES.items():
        assert (ROOT / "docs" / name).read_text(encoding="utf-8") == page(), f"docs/{name} is old; run 'make docs'"


def test_every_relative_link_of_the_documentation_leads_somewhere():
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_nothing_edits_the_import_system_or_ends_the_process_early():
    for package in ("kohaku_lib", "kohaku_assets"):
        for path in (ROOT / package).rglob("*.py"):
            used = {
                ast.unparse(node) for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)
            }
            assert not used & {"sys.meta_path", "sys.modules", "os._exit"}, path


ENGINE = "kohaku_lib/answering/engine.py"
# who calls each part of an answer, beside the package that defines it: everybody else asks the engine
CALLERS = {
    "plan_question": ("kohaku_lib/retrieval/", {ENGINE}),
    "answer_with_retries": ("kohaku_lib/answering/deepening.py", {ENGINE}),
    "checked_answer": ("kohaku_lib/answering/citing/", {ENGINE, "kohaku_lib/answering/cited/cited_text.py"}),
    "make_retriever": ("kohaku_lib/project/retrievers.py", {"kohaku_lib/project/index_parts.py"}),
    "build_answerer": ("kohaku_lib/answering/answerer.py", {"kohaku_lib/project/index_parts.py"}),
}
ROWS = ("QUESTIONS", "PREDICTIONS")  # schemas that rows.py alone fills


@pytest.mark.parametrize("name", CALLERS)
def test_planner_retriever_and_answerer_are_called_by_the_engine_alone(name):
    own, callers = CALLERS[name]
    users = {str(path.relative_to(ROOT)) for path in code() if name in names(path)}
    assert {path for path in users if not path.startswith(own) and not path.endswith("__init__.py")} == callers


@pytest.mark.parametrize("schema", ROWS)
def test_questions_and_answers_become_rows_in_one_place(schema):
    filling = re.compile(rf"from_pylist\([^)]*\b{schema}\b")
    filled = {str(path.relative_to(ROOT)) for path in code() if filling.search(path.read_text(encoding="utf-8"))}
    assert filled == {"kohaku_lib/answering/rows.py"}


def code():
    return [path for package in ("kohaku_lib", "kohaku_assets") for path in sorted((ROOT / package).rglob("*.py"))]


def names(path):
    """Return the names that a module reads."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}

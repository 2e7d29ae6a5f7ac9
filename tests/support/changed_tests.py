"""Runs the tests that a change can reach, nearest first, within a time limit: `make test-changed`, `BASE=HEAD~3` for more.

A change is what differs from `BASE` (main, or the last commit where that is main's own), committed or not. A test reaches a
file through imports, fixtures of its folders, kinds that a registry has or a string names, and names of data files. Files of
tests are ordered by the length of that path. As many are chosen as fit into the limit, by the seconds that they took in the
last `make test`; what is left out is counted, as `make test` runs all.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import heapq
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path, PurePosixPath

import pytest
from import_graph import Import, imported_modules, imports_of, module_name

ROOT = Path(__file__).resolve().parents[2]
COSTS, FACTS = ROOT / ".venv" / "costs.jsonl", ROOT / ".venv" / "facts.json"
LIMIT_S, WORKERS = 65.0, 3  # what runs then still ends, some 20 s later
UNKNOWN_S = 2.0  # of a file of tests whose seconds are not known
PACKAGES = ("kohaku_lib", "kohaku_assets", "tests", "docs", "benchmarks", "examples")
# Folders whose modules are imported by their bare names.
FOLDERS = ("tests/support", "tests/e2e", "docs", "benchmarks", "examples")
BY_IMPORT, BY_NAME, BY_CONFTEST, BY_STRING, BY_KIND = 1.0, 1.0, 2.0, 2.0, 2.0  # steps of a path
BY_FOLDER, BY_PACKAGE = 3.0, 3.0
MIN_NAME = 5  # letters of a file's name without its ending that stand for the file
MAX_NAME = 200  # letters of a constant that names a file or a module

Facts = tuple[list[Import], list[str]]


def main(arguments: list[str]) -> int:
    """Choose the tests and run them; return pytest's exit code, 0 where no test reaches the change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", default=default_base())
    parser.add_argument("--only-list", action="store_true", help="print the files, nearest first, and run nothing")
    options, more = parser.parse_known_args(arguments)
    changed = changed_files(options.base)
    distances = reaching_tests(ROOT, changed)
    chosen = within_limit(distances, seconds_by_file(COSTS), LIMIT_S * WORKERS)
    print(
        f"{len(changed)} files differ from {options.base}; {len(distances)} files of tests reach them, "
        f"the nearest {len(chosen)} are run",
        file=sys.stderr,
    )
    if options.only_list:
        print("\n".join(chosen))
        return 0
    if not chosen:
        return 0
    command = [sys.executable, "-m", "pytest", "-m", "not slow", "-n", str(WORKERS), "--dist", "loadgroup", "-rs"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    code = subprocess.run(
        [*command, f"--within={LIMIT_S}", *more, *chosen], cwd=ROOT, env=environment, check=False
    ).returncode
    return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code


def default_base() -> str:
    """Return main, or the commit before where the work tree is on main and holds no change."""
    on_main = _git("rev-parse", "HEAD") == _git("rev-parse", "main")
    return "HEAD~1" if on_main and not _git("status", "--porcelain") else "main"


def changed_files(base: str) -> list[str]:
    """Return the paths of all that differs from where the work left `base`, files that git does not know included."""
    since = _git("merge-base", base, "HEAD")
    tracked = _git("diff", "--name-only", since).splitlines()
    return sorted({*tracked, *_git("ls-files", "--others", "--exclude-standard").splitlines()})


def reaching_tests(root: Path, changed: Iterable[str]) -> dict[str, float]:
    """Return the files of tests (and changed modules, for their doctests) that reach a change, with the way's length.

    The nearest come first, and with them those whose folder mirrors the changed one, which often import its package; of those
    as near, the ones whose folder mirrors most of it.
    """
    changed = list(changed)
    importers = _importers(root, changed)
    lengths = dict.fromkeys(changed, 0.0)
    pending = [(0.0, path) for path in changed]
    while pending:
        length, path = heapq.heappop(pending)
        if length > lengths[path]:
            continue
        for importer, step in importers[path].items():
            if length + step < lengths.get(importer, float("inf")):
                lengths[importer] = length + step
                heapq.heappush(pending, (length + step, importer))
    mirrors = [PurePosixPath("tests", path).parent.parts for path in changed]
    found = {path: length for path, length in lengths.items() if _is_run(root, path, changed)}

    def place(path: str) -> tuple[float, int]:
        is_beside = PurePosixPath(path).parent.parts in mirrors
        return min(found[path], BY_IMPORT) if is_beside else found[path], -_shared_folders(path, mirrors)

    return {path: found[path] for path in sorted(found, key=place)}


def _shared_folders(path: str, mirrors: Iterable[tuple[str, ...]]) -> int:
    """Return how many folders from the top on `path` has in common with one of `mirrors`, at most."""
    folders = PurePosixPath(path).parent.parts
    shared = (takewhile(lambda pair: pair[0] == pair[1], zip(folders, mirror, strict=False)) for mirror in mirrors)
    return max((len(list(pairs)) for pairs in shared), default=0)


def within_limit(distances: Mapping[str, float], seconds: Mapping[str, float], limit_s: float) -> list[str]:
    """Return the nearest files whose seconds fit into the limit.

    A file that does not fit is passed over, not those after it; of the nearest of all, it comes last, and the run's time cuts it.

    >>> within_limit({"a": 0, "b": 0, "c": 1, "d": 1}, {"a": 3.0, "b": 9.0, "c": 4.0, "d": 4.0}, 8)
    ['a', 'c', 'b']
    """
    chosen: list[str] = []
    passed_over: list[str] = []
    nearest = min(distances.values(), default=0.0)
    for path, distance in distances.items():
        cost_s = seconds.get(path, UNKNOWN_S)
        if cost_s <= limit_s:
            chosen.append(path)
            limit_s -= cost_s
        elif distance == nearest:
            passed_over.append(path)
    return chosen + passed_over


def seconds_by_file(costs: Path) -> dict[str, float]:
    """Return the seconds of each file of tests in the rows that `--costs` writes (tests/support/costs.py)."""
    seconds: Counter[str] = Counter()
    for line in costs.read_text(encoding="utf-8").splitlines() if costs.exists() else []:
        row = json.loads(line)
        if row["kind"] in ("setup", "call", "teardown"):
            seconds[row["name"].partition("::")[0]] += row["wall_s"]
    return dict(seconds)


def _is_run(root: Path, path: str, changed: list[str]) -> bool:
    """Tell whether pytest runs `path`: a file of tests, or a changed module for its doctests."""
    name = PurePosixPath(path)
    is_test = path.startswith("tests/") and name.name.startswith("test_") and name.suffix == ".py"
    has_doctests = path in changed and name.suffix == ".py" and path.startswith(("kohaku_lib/", "kohaku_assets/"))
    return (is_test or has_doctests) and (root / path).exists()


def _importers(root: Path, changed: list[str]) -> defaultdict[str, dict[str, float]]:
    """Return for each file the files that depend on it directly, with the length of that step."""
    facts = read_facts(root)
    removed = [path for path in changed if path.endswith(".py")]
    modules = {module_name(root / path, root): root / path for path in [*removed, *facts]}
    modules |= {path.stem: path for folder in FOLDERS for path in (root / folder).glob("*.py")}
    data = [path for path in changed if path not in facts]
    importers: defaultdict[str, dict[str, float]] = defaultdict(dict)

    def add(path: str, importer: str, step: float) -> None:
        if path != importer:
            importers[path][importer] = min(step, importers[path].get(importer, step))

    for path, (imports, strings) in facts.items():
        step = BY_PACKAGE if path.endswith("__init__.py") else BY_IMPORT
        for module in imported_modules(imports, module_name(root / path, root), modules):
            add(str(modules[module].relative_to(root)), path, step)
        for module in _modules_named(strings, modules):
            add(str(modules[module].relative_to(root)), path, BY_STRING)
        for conftest in _conftests(path, facts):
            add(conftest, path, BY_CONFTEST)
        for file, far in _files_named(strings, data):
            add(file, path, far)
        folder = PurePosixPath(path).parent
        package = f"{folder.parent if path.endswith('__init__.py') else folder}/__init__.py"
        if package in facts:  # a registry or the command line finds its modules by their folder
            add(path, package, BY_PACKAGE)
    for kind, registry in _kinds(facts, importers):
        add(kind, registry, BY_KIND)
    return importers


def _kinds(facts: Mapping[str, Facts], importers: Mapping[str, Mapping[str, float]]) -> list[tuple[str, str]]:
    """Return the modules beside a registry that import it, each with it: whoever looks kinds up there finds theirs."""
    registries = [path for path, (imports, _) in facts.items() if any("Registry" in names for *_, names in imports)]
    folders = {registry: PurePosixPath(registry).parent for registry in registries}
    return [(path, one) for one in folders for path in importers[one] if PurePosixPath(path).parent == folders[one]]


def read_facts(root: Path) -> dict[str, Facts]:
    """Return the imports of each module of the tree, and its constants without spaces, which may name a file or a module.

    They are kept in `FACTS`, as parsing all files takes ten seconds.
    """
    kept = json.loads(FACTS.read_text(encoding="utf-8")) if FACTS.exists() else {}
    found: dict[str, Facts] = {}
    facts: dict[str, Facts] = {}
    for path in (path for package in PACKAGES for path in (root / package).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        checksum = hashlib.sha256(text.encode()).hexdigest()
        found[checksum] = kept.get(checksum) or _facts(text)
        facts[str(path.relative_to(root))] = found[checksum]
    FACTS.parent.mkdir(exist_ok=True)
    FACTS.write_text(json.dumps(found), encoding="utf-8")
    return facts


def _facts(text: str) -> Facts:
    try:
        tree = ast.parse(text)
    except SyntaxError:  # the file is being written; its own tests say so
        return [], []
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return imports_of(tree), [text for text in texts if len(text) < MAX_NAME and not any(map(str.isspace, text))]


def _conftests(path: str, paths: Container[str]) -> Iterator[str]:
    if path.startswith("tests/"):
        conftests = (str(folder / "conftest.py") for folder in PurePosixPath(path).parents)
        yield from (conftest for conftest in conftests if conftest in paths)


def _modules_named(strings: Iterable[str], modules: Container[str]) -> Iterator[str]:
    """Yield the modules that constants such as "kohaku_lib.text.dates:parsed" name."""
    for text in strings:
        module = text.partition(":")[0]
        while module.startswith(PACKAGES) and module not in modules and "." in module:
            module = module.rpartition(".")[0]
        if "." in module and module in modules:
            yield module


def _files_named(strings: list[str], data: Iterable[str]) -> Iterator[tuple[str, float]]:
    """Yield the data files that constants name, each with the step to it."""
    return ((file, step) for file in data if (step := _step_by_name(strings, file)))


def _step_by_name(strings: list[str], path: str) -> float:
    """Return the step to a data file that constants name, by itself or by its folders; 0 where they do not."""
    place = PurePosixPath(path)
    named = set(strings)
    if named & {path, place.name, *([place.stem] if len(place.stem) >= MIN_NAME else [])}:
        return BY_NAME
    *_, top, _ = [place, *place.parents]
    folders = {name for folder in place.parents if folder != top for name in (str(folder), folder.name)} - {".", ""}
    return BY_FOLDER if named & folders else 2 * BY_FOLDER if str(top) in named else 0.0


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

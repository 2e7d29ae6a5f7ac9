"""What the pages of docs/ say holds: every block is run or checked, and what stands in the sentences is ours."""

import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest
import yaml
from known_commands import all_options, unknown_parts
from named_options import TEXTS, commands, lone_options, unknown_settings
from page_blocks import FENCE, PAGES, RUN_BY, blocks_run_by, page_blocks

from kohaku_lib.answering.questions import read_questions
from kohaku_lib.composition import load_settings
from kohaku_lib.evaluation.changes.change_report import ChangeReport
from kohaku_lib.evaluation.changes.state_changes import DocumentChanges, FlippedAnswer, StateChanges
from kohaku_lib.evaluation.metrics.retrieval_summary import RetrievalDifference
from kohaku_lib.evaluation.statistics.intervals import Interval
from kohaku_lib.settings import leaf_fields

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NOT_RUN: dict[tuple[str, int], str] = {}  # page and number of a block that no test can run or check, and why
OPTIONS_OF_OTHERS = {"--build-arg", "--extra-index-url", "--hypothesis-profile", "--project"}  # docker, pip, pytest, dg
OF_WHOLE_PAGES = {  # they read the page itself
    "test_the_generated_pages_are_those_of_the_code",
    "test_the_page_on_python_shows_what_happens",
}


def test_every_block_of_every_page_is_run_or_checked_by_a_test_or_says_why_not():
    blocks = page_blocks()
    assert sum(page.read_text(encoding="utf-8").count("```") for page in PAGES) == 2 * len(blocks)  # none is indented
    untested = {(block.page, block.number) for block in blocks if not any(is_run(block) for is_run in RUN_BY.values())}
    assert untested == set(NOT_RUN), "give each a test in tests/support/page_blocks.py, or a reason in NOT_RUN"
    assert len(NOT_RUN) <= 5
    assert all(NOT_RUN.values())


@pytest.mark.parametrize("test", RUN_BY)
def test_the_test_that_is_named_for_a_block_exists_and_takes_its_blocks_from_the_table(test):
    assert blocks_run_by(test), "no page has a block for it"
    files = [text for text in all_tests() if f"def {test}(" in text]
    assert len(files) == 1
    assert f'"{test}"' in files[0] or test in OF_WHOLE_PAGES


@cache
def all_tests():
    return tuple(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))


@pytest.mark.parametrize("block", blocks_run_by("test_the_settings_of_a_page_load"), ids=lambda block: block.name)
def test_the_settings_of_a_page_load(block, tmp_path):
    (tmp_path / "kohaku.toml").write_text(block.text, encoding="utf-8")
    assert load_settings(environment={}, folder=tmp_path).file == tmp_path / "kohaku.toml"


def test_the_questions_of_a_page_are_read_without_a_problem(tmp_path):
    for block in blocks_run_by("test_the_questions_of_a_page_are_read_without_a_problem"):
        (tmp_path / "questions.csv").write_text(block.text, encoding="utf-8")
        table, report = read_questions(tmp_path / "questions.csv")
        assert (table.num_rows > 0, report.problems) == (True, ())


def test_make_and_git_know_what_a_page_has_them_do():
    lines = [
        line for block in blocks_run_by("test_make_and_git_know_what_a_page_has_them_do") for line in block.commands
    ]
    targets = [line.removeprefix("make ") for line in lines if line.startswith("make ")]
    assert set(targets) <= make_targets()
    assert [line for line in lines if not line.startswith("make ")] == [
        ".venv/bin/pip install pre-commit && .venv/bin/pre-commit install"
    ]
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    assert {hook["entry"].split()[0].removeprefix(".venv/bin/") for hook in hooks} == {"ruff", "pyrefly", "python"}


def make_targets():
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    return {line.partition(":")[0] for line in lines if re.match(r"[a-z-]+:", line)}


def test_the_installation_names_what_the_wheel_holds(tmp_path):
    [block] = blocks_run_by("test_the_installation_names_what_the_wheel_holds")
    environment, install, version = block.commands
    assert environment == "python3 -m venv kohaku-env"
    assert install == f"kohaku-env/bin/pip install {PROJECT['name']}-….whl"
    program, option = version.removeprefix("kohaku-env/bin/").split()
    assert PROJECT["scripts"][program] == "kohaku_assets.cli:run"
    code = f"import sys; sys.argv = ['{program}', '{option}']; from kohaku_assets.cli import run; run()"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*\n", done.stdout)


def test_the_extras_of_the_installation_are_all_that_a_user_may_want():
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    named = {name for row in re.findall(r"^\| (`.+?`) \|", page, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert named == set(PROJECT["optional-dependencies"]) - {"dev", "docs", "e2e"}  # of those who work on Kohaku
    assert f"Python {PROJECT['requires-python'].removeprefix('>=')} or later" in page


def test_the_report_of_a_refresh_is_as_the_page_prints_it():
    [block] = blocks_run_by("test_the_report_of_a_refresh_is_as_the_page_prints_it")
    damaged = "'broken.pdf' is damaged beyond repair or is not a PDF"
    documents = DocumentChanges(("broken", "new"), ("amber-guide",), ("model-card",), {"broken": damaged})
    scores = (
        difference("wattbot", (0.994, 0.906), (-0.25, 0.0, 8.0), 12),
        difference("document_recall@5", (1.0, 0.85), (-0.4, 0.0, 7.1), 10),
    )
    flips = (FlippedAnswer("k06", "1", "1", -0.15), FlippedAnswer("k08", "Milda Stankute", "is_blank", -0.9))
    report = ChangeReport("2026-11-23T17:35:00", ("the documents",), StateChanges(documents, scores, flips))
    assert block.text.splitlines() == report.told()


def difference(metric, means, bounds, n):
    before, now = means
    return RetrievalDifference(metric, n, before, now, now - before, Interval(*bounds), 0.5, 0.5, None)


def test_the_containers_get_the_project_that_the_page_prepares(tmp_path):
    [block] = blocks_run_by("test_the_containers_get_the_project_that_the_page_prepares")
    prepare, start = block.commands
    user = re.search(r"chown -R (\S+) project", prepare)[1]
    assert f"\nUSER {user}\n" in (ROOT / "Dockerfile").read_text(encoding="utf-8")
    (tmp_path / "documents").mkdir()
    (tmp_path / "kohaku.toml").write_text('[corpus]\ndocuments = "documents"\n')
    subprocess.run(["bash", "-ec", prepare.partition(" && sudo")[0]], cwd=tmp_path, check=True)
    assert load_settings(environment={}, folder=tmp_path / "project").settings.corpus.documents.exists()
    compose = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    assert "${PROJECT:-./project}:/project" in compose
    given = set(re.findall(r"(\w+)=", start))
    assert given == set(re.findall(r"\$\{(\w+):\?", compose))  # what compose.yaml asks for


def test_the_commands_for_a_cluster_name_files_extras_and_variables_that_exist():
    runs, cluster = blocks_run_by("test_the_commands_for_a_cluster_name_files_extras_and_variables_that_exist")
    files = re.findall(r"-f (\S+\.yaml)", runs.text + cluster.text)
    assert [file for file in files if not (ROOT / file).is_file()] == ["claim.yaml"]  # the user's own
    composed = "".join((ROOT / file).read_text(encoding="utf-8") for file in files if "compose" in file)
    exported = re.findall(r"(\w+)=", runs.commands[0])
    assert [name for name in exported if f"${{{name}" not in composed] == []
    extras = re.search(r"EXTRAS=(\S+)", cluster.text)[1].split(",")
    assert set(extras) <= set(PROJECT["optional-dependencies"])


def test_the_commands_for_puppygraph_name_what_compose_verbs_and_settings_have():
    [block] = blocks_run_by("test_the_commands_for_puppygraph_name_what_compose_verbs_and_settings_have")
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    [service] = [one for one in compose["services"].values() if one.get("profiles") == ["graph"]]
    assert {str(port).split(":")[-1] for port in service["ports"]} == {"8182", "8081"}
    assert (ROOT / re.search(r"@(deploy/\S+)", block.text)[1]).is_file()
    verbs = [line.split()[1:] for line in block.commands if line.startswith("kohaku ")]
    assert [unknown_parts(words[:1]) for words in verbs] == [[], []]
    assert set(re.findall(r"--set ([\w.]+)=", block.text)) <= set(leaf_fields())


def test_the_variables_for_all_pods_are_those_that_settings_and_dagster_read():
    [block] = blocks_run_by("test_the_variables_for_all_pods_are_those_that_settings_and_dagster_read")
    names = [line.partition("=")[0] for line in block.commands]
    read = (ROOT / "deploy" / "dagster.yaml").read_text(encoding="utf-8")
    leaves = {f"KOHAKU_{leaf.replace('.', '__').upper()}" for leaf in leaf_fields()}
    others = [name for name in names if f"{{env: {name}}}" not in read and name not in leaves]
    assert others == [leaf_fields()["watch.webhook_env"].default]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_verbs_options_and_settings_that_a_text_names_exist(path):
    wrong = {" ".join(words): unknown for words in commands(path) if (unknown := unknown_parts(words))}
    assert wrong == {}
    assert unknown_settings(path) == set()
    assert lone_options(path) - all_options() - OPTIONS_OF_OTHERS - options_of_programs(path) == set()


def options_of_programs(path):
    """The options of the programs of this repository that a page names."""
    programs = re.findall(r"(?:benchmarks|tests)/[\w/]+\.py", path.read_text(encoding="utf-8"))
    return {option for name in programs for option in re.findall(r'"(--[a-z-]+)"', (ROOT / name).read_text("utf-8"))}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_programs_targets_and_extras_that_a_page_names_exist(page):
    text = prose(page)
    files = re.findall(r"`(?:python )?((?:benchmarks|tests|kohaku_lib|kohaku_assets|docs)/[\w./]+)[` ]", text)
    named = [ROOT / name for name in files if not re.search("[A-Z]{3}", name)]  # GROUP and NAME stand for others
    assert [name for name in named if not name.exists() and not name.with_suffix(".py").exists()] == []
    assert set(re.findall(r"`make ([a-z-]+)`", text)) <= make_targets()
    extras = set(re.findall(r"extra `\[?(\w+)\]?`|'kohaku\[(\w+)\]'", page.read_text(encoding="utf-8")))
    assert {one or other for one, other in extras} <= set(PROJECT["optional-dependencies"])


def prose(page):
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def test_every_message_that_troubleshooting_explains_is_one_of_ours():
    page = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    messages = re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)
    code = [
        path.read_text(encoding="utf-8")
        for name in ("kohaku_lib", "kohaku_assets")
        for path in (ROOT / name).rglob("*.py")
    ]
    assert len(messages) > 10
    assert [message for message in messages if not any(message in text for text in code)] == []


def test_the_tests_that_hold_what_is_promised_exist():
    promised = re.findall(r"`(tests/[\w/]+\.py)` \|", (ROOT / "SECURITY.md").read_text(encoding="utf-8"))
    assert len(promised) > 10
    assert [path for path in promised if "def test_" not in (ROOT / path).read_text(encoding="utf-8")] == []

"""What the pages of docs/ say holds: their settings load, their questions are read, the messages they explain are ours."""

import re
from pathlib import Path

import pytest

from kohaku_lib.answering.questions import read_questions
from kohaku_lib.settings import load_settings

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
RUN_ELSEWHERE = {"bash", "python", "sql"}  # by test_documented_commands.py and test_python_api.py
WITH_COMMANDS = {"README.md", "documents.md", "experiments.md", "how-it-works.md"}
WITH_COMMANDS |= {"conversations.md", "figures.md", "local-model.md", "releasing.md", "tenants.md", "tutorial.md"}
NOT_RUN = {  # blocks without a language: output, a drawing, or what needs another machine's state
    "CONTRIBUTING.md": "targets of make and a hook of git, run by whoever runs these tests",
    "cli.md": "the help texts, compared with the code",
    "http.md": "a request in the form of curl; the bodies are sent by test_documented_commands.py",
    "operations.md": "what a refresh prints, backups to another disk, and containers",
    "serving.md": "servers that go on, run by the tests of the server, and settings of other programs",
    "install.md": "the installation from a wheel, run by 'make wheel'",
}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(*languages):
    """The blocks of the pages in one of `languages`, each with its page."""
    found = [(page, *match.groups()) for page in PAGES for match in FENCE.finditer(page.read_text(encoding="utf-8"))]
    return [
        pytest.param(text, id=f"{page.name}-{i}") for i, (page, name, text) in enumerate(found) if name in languages
    ]


@pytest.mark.parametrize("text", blocks("toml"))
def test_the_settings_of_a_page_load(text, tmp_path):
    (tmp_path / "kohaku.toml").write_text(text, encoding="utf-8")
    assert load_settings(environment={}, folder=tmp_path).file == tmp_path / "kohaku.toml"


@pytest.mark.parametrize("text", blocks("csv"))
def test_the_questions_of_a_page_are_read_without_a_problem(text, tmp_path):
    (tmp_path / "questions.csv").write_text(text, encoding="utf-8")
    table, report = read_questions(tmp_path / "questions.csv")
    assert (table.num_rows > 0, report.problems) == (True, ())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_is_of_a_kind_that_some_test_runs_or_says_why_not(page):
    languages = {match[1] for match in FENCE.finditer(page.read_text(encoding="utf-8"))}
    assert languages <= RUN_ELSEWHERE | {"toml", "csv"} | ({"", "json"} if page.name in NOT_RUN else set())
    assert "bash" not in languages or page.name in WITH_COMMANDS | set(NOT_RUN)


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

"""Whatever documents, file names, questions and arguments hold, nothing of it steers a terminal."""

import csv
import json
import logging
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from kohaku_assets.cli import main
from kohaku_assets.cli.shared.output import print_table, say
from kohaku_assets.cli.shared.terminal import guard_logs, json_text, one_line, visible
from kohaku_assets.operations.scaffold import DAGSTER

LINK = "\x1b]8;;http://evil.example/\x1b\\click\x1b]8;;\x1b\\"
HOSTILE = f"\x1b[2J{LINK} \u202egnp.exe\u202c \u2066x\u2069 \x9b31m \x07\x08\x7f [bold red]MARK[/] :warning:"
NAME = "evil\x1b[31m\u202e[red]name"
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
CLI = Path(__file__).resolve().parents[3] / "kohaku_assets" / "cli"


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments], color=True)  # as on a terminal


def rows(path, *lines):
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(lines)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A built project in which every text and name that a stranger may choose holds controls and markup."""
    home = tmp_path_factory.mktemp("hostile")
    documents = home / "documents"
    documents.mkdir()
    (home / "dagster_home").mkdir()
    (home / "dagster_home" / "dagster.yaml").write_text(DAGSTER)
    (documents / "plain.md").write_text(
        f"# Report {HOSTILE}\n\nThe machine room used 512 kWh {HOSTILE} of electricity.\n\nGintaras Meilus {HOSTILE} left.\n"
    )
    (documents / f"{NAME}.md").write_text(f"# Tower\n\nThe cooling tower {HOSTILE} used 99 litres of water.\n")
    (documents / "broken\x1b[5m.pdf").write_bytes(b"%PDF-1.4 \x1b[2J broken")
    rows(
        home / "questions.csv",
        ("id", "question", "answer_value", "ref_id"),
        ("q1", f"How much electricity did the machine room use? {HOSTILE}", "512", "plain"),
        ("q2\x1b[31m", "How much water?", "99", "plain"),
        ("q1", "again", "", ""),
    )
    rows(
        home / "metadata.csv",
        ("id", "type", "title", "year", "citation", "url"),
        ("plain", "report", f"Title {HOSTILE}", "2023", HOSTILE, f"http://127.0.0.1:1/{HOSTILE}"),
        ("gone\x1b[31m", "report", f"Title {HOSTILE}", "2023", HOSTILE, ""),
    )
    (home / "kohaku.toml").write_text(
        '[corpus]\ndocuments = "documents"\nmetadata = "metadata.csv"\nquestions = "questions.csv"\n'
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        patch.setenv("DAGSTER_HOME", str(home / "dagster_home"))
        result = run("refresh")
        assert result.exit_code == 0, result.stderr
        assert STEERING.findall(result.output) == []
        run("answer", "--questions", "questions.csv", "--out", "run.csv", "--runs", "2")
    return home


@pytest.fixture
def project(hostile, monkeypatch):
    monkeypatch.chdir(hostile)
    monkeypatch.setenv("DAGSTER_HOME", str(hostile / "dagster_home"))


VERBS = [
    ("ask", "How much electricity did the machine room use?"),
    ("search", "electricity"),
    ("search", "--explain", f"electricity {HOSTILE}"),
    ("search", "--document", HOSTILE, "electricity"),
    ("debug", "q1"),
    ("debug", "--prompts", HOSTILE),
    ("documents",),
    ("status", "--all"),
    ("stats",),
    ("tokens",),
    ("inspect", "plain:sec1:p1"),
    ("inspect", HOSTILE),
    ("graph", "Gintaras Meilus"),
    ("graph", HOSTILE),
    ("check-citations",),
    ("parse", "documents/plain.md", f"documents/{NAME}.md", "documents/broken\x1b[5m.pdf"),
    ("parse", "--html", f"x{HOSTILE}".replace("/", "") + ".html", "documents/plain.md"),
    ("score", "--truth", "questions.csv", "--pred", "run.1.csv"),
    ("compare", "run.1.csv", "run.2.csv"),
    ("compare", "now", "run.1.csv", "--question", "q1"),
    ("vote", "run.1.csv", "run.2.csv", "--out", "voted\x1b[31m.csv"),
    ("report", "run.1.csv", "--out", "report\x1b[31m"),
    ("evaluate-retrieval", "--truth", HOSTILE),
    ("history",),
    ("fetch",),
    ("map", "--out", HOSTILE),
    ("snapshots", "--publish", HOSTILE),
    ("sweep", HOSTILE),
    ("refresh", HOSTILE),
    ("refresh", "--set", HOSTILE),
    ("settings", "--set", f"llm.api_key_env={HOSTILE}"),
    ("replay", HOSTILE, "--out", "scores.csv"),
    ("inspect", "one", HOSTILE),
    (HOSTILE,),
    (f"--{HOSTILE}",),
    ("stats", "--debug", "--set", f"store={HOSTILE}"),
]


@pytest.mark.parametrize("arguments", VERBS, ids=lambda arguments: arguments[0][:20].strip("\x1b") or "unknown")
def test_no_verb_prints_a_character_that_steers_a_terminal(project, arguments):
    result = run(*arguments)
    assert STEERING.findall(result.output) == []
    assert result.exit_code in {0, 1, 2}


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", "--json", "How much electricity did the machine room use?"),
        ("search", "--json", "--explain", HOSTILE),
        ("debug", "--json", "q1"),
        ("documents", "--json"),
        ("inspect", "--json", "plain:sec1:p1"),
        ("parse", "--json", "documents/plain.md"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_json_escapes_what_steers_a_terminal_and_loses_nothing(project, arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    assert STEERING.findall(result.output) == []
    json.loads(result.stdout)


def test_what_is_written_out_can_be_read_and_markup_stays_as_it_is(project):
    told = run("ask", "How much electricity did the machine room use?").stdout
    assert r"\x1b[2J\x1b]8;;http://evil.example/" in told
    assert r"\u202egnp.exe\u202c" in told
    assert "[bold red]MARK[/] :warning:" in run("inspect", "plain:sec1:p1").stdout.replace("\n", "")


def test_a_table_takes_no_markup_from_titles_headings_or_cells(capsys):
    print_table("[red]title[/]", ("[b]head[/b]",), [("[link=http://evil.example]cell[/link] :smile:",)])
    told = capsys.readouterr().out
    assert [
        part for part in ("[red]title[/]", "[b]head[/b]", "[link=http://evil.example]", ":smile:") if part not in told
    ] == []


def test_talk_stays_on_one_line(capsys):
    say("a\nkohaku: all is paid.pdf: failed")
    assert capsys.readouterr().err == "a\\nkohaku: all is paid.pdf: failed\n"


def test_tabs_line_feeds_and_letters_of_all_scripts_stay():
    text = "a\tb\nשלום עולם \u200f é 漢字 \U0001f469\u200d\U0001f4bb"
    assert visible(text) == text
    assert one_line("a\r\nb\x1b[1m") == "a b\\x1b[1m"


def test_half_a_character_is_written_out_and_survives_json():
    assert visible("a\ud800\udce9") == "a\\ud800\\udce9"
    assert json.loads(json_text(["\ud800"])) == ["\ud800"]
    json_text(["\ud800"]).encode("utf-8")


def test_a_warning_of_a_library_cannot_steer_the_terminal(monkeypatch):
    monkeypatch.setattr(logging, "lastResort", logging.StreamHandler())
    guard_logs()
    record = logging.LogRecord("a", logging.WARNING, "", 0, "server says %s", ("\x1b[2J",), None)
    assert logging.lastResort.format(record) == "server says \\x1b[2J"


@pytest.mark.parametrize("path", sorted(CLI.rglob("*.py")), ids=lambda path: path.name)
def test_verbs_print_by_the_functions_of_output_alone(path):
    if path.name != "output.py":
        assert (
            re.findall(r"click\.s?echo\(|(?<!>> )\bprint\(|sys\.std(?:out|err)\.write", path.read_text("utf-8")) == []
        )

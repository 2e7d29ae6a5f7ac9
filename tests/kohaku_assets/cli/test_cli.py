"""The command line: help for every verb, one sentence for every mistake, and nothing heavy on the way."""

import json
import subprocess
import sys
from pathlib import Path

import click
import openpyxl
import pymupdf
import pytest
from click.testing import CliRunner

from kohaku_assets.cli import VERBS, main

ONE_PROCESS = ("--set", "parallel.workers=1")  # reads the files one after another: a process takes two seconds


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.md").write_text("A file where a folder is wanted.")
    (tmp_path / "docs").mkdir()
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.mark.parametrize("verb", VERBS.names())
def test_every_verb_takes_a_settings_file_and_overrides(verb):
    command = VERBS.get(verb).command
    for own in ([name] for name in command.commands) if isinstance(command, click.Group) else ([],):
        options = run(verb, *own, "--help").output
        assert "--config FILE" in options
        assert "--set KEY=VALUE" in options


@pytest.mark.parametrize("verb", VERBS.names())
def test_every_verb_has_help_with_an_example_and_the_line_of_the_overview(verb):
    result = run(verb, "--help")
    assert result.exit_code == 0
    assert f"kohaku {verb}" in result.output.split("Example:")[1]


def test_the_overview_names_every_verb_without_importing_any():
    code = (
        "import sys; sys.argv = ['kohaku', '--help']\n"
        "from kohaku_assets.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'dagster', 'openai', 'pydantic', 'pyarrow', 'torch', 'numpy', 'kohaku_lib.settings'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert all(f"  {verb} " in result.stdout for verb in VERBS.names())


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
        (["settings", "--set", "retrieval.topk=1"], 2, ["'retrieval.topk'", "retrieval.top_k"]),
        (["settings", "--config", "none.toml"], 2, ["none.toml", "does not exist"]),
        (["refresh"], 2, ["corpus.documents is not set"]),
        (["refresh", "nodes"], 2, ["'nodes'", "tree_nodes"]),
        (["refresh", "--set", "corpus.documents=nowhere"], 2, ["corpus.documents", "nowhere"]),
        (["status", "--set", "corpus.documents=nowhere"], 2, ["nowhere"]),
        (["ask", "What?"], 2, ["there is no index", "kohaku refresh"]),
        (["search", "What?"], 2, ["there is no index"]),
        (["inspect", "a"], 2, ["there is no index"]),
        (
            ["retrieve", "--questions", "q.csv", "--out", "o", "--set", "corpus.documents=docs"],
            2,
            ["refresh vector_tables"],
        ),
        (["parse", "here.md", "b.md", "--folder", "o"], 2, ["one file, got 2"]),
        (["parse", "here.md", "--folder", "."], 2, ["no empty folder"]),
        (["retrieve", "--out", "o"], 2, ["--questions or --queries"]),
        (["retrieve", "--questions", "q.csv", "--queries", "q.jsonl", "--out", "o"], 2, ["not both"]),
        (["score", "--truth", "a.csv", "--pred", "b.csv"], 2, ["a.csv"]),
        (["vote", "a.csv", "--out", "b.csv"], 2, ["a.csv"]),
        (["snapshots", "--roll-back"], 2, ["no index was published"]),
        (["snapshots", "--publish", "x"], 2, ["'x'"]),
        (["search", ""], 2, ["the query is empty"]),
        (["refresh", "--set", "store=here.md", "--set", "corpus.documents=docs"], 2, ["here.md", "File exists"]),
        (["refresh", "--set", "corpus.documents=."], 2, ["data/store", ".kohaku/store"]),
        (["init", "here.md"], 2, ["here.md"]),
        (["init", "new", "--documents", "none"], 2, ["'none'", "no folder"]),
        (["init", "new", "--set", "retrieval.topk=1"], 2, ["retrieval.top_k"]),
        (["score", "--truth", "a.csv", "--pred", "b.csv", "--config", "none.toml"], 2, ["none.toml"]),
    ],
)
def test_a_mistake_is_one_sentence_on_standard_error(arguments, code, parts):
    result = run(*arguments)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert [part for part in parts if part not in result.stderr] == []
    assert len(result.stderr.strip().splitlines()) == 1


def test_status_needs_no_store_that_can_be_written(elsewhere):
    result = run("status", "--set", "store=here.md", "--set", "corpus.documents=docs", "--json")
    assert result.exit_code == 0
    assert result.stdout.count('"missing"') == 23


def test_debug_shows_the_traceback():
    result = run("refresh", "--debug")
    assert "Traceback" in result.stderr
    assert "InputFileError" in result.stderr
    assert result.exit_code == 2


def test_settings_print_values_and_where_they_came_from():
    result = run("settings", "--set", "retrieval.top_k=12", "--json")
    assert '"retrieval.top_k": {\n  "value": 12,\n  "from": "--set"\n }' in result.stdout


def test_settings_of_a_profile_are_listed_as_far_as_they_differ_from_the_defaults():
    listed = json.loads(run("settings", "--profile", "fast", "--differences", "--json").stdout)
    assert listed["retrieval.top_k"] == {"value": 5, "from": "profile 'fast'"}
    assert listed["profile"] == {"value": "fast", "from": "--set"}
    assert not {"store", "tree.view", "embedding.model"} & set(listed)


@pytest.mark.parametrize(
    ("prices", "told"),
    [
        (
            '{"small"={input=0.15}}',
            "the setting llm.prices.small needs input_usd_per_million, got {'input': 0.15} (--set)",
        ),
        (
            '{"small"={input_usd_per_million=1,output_usd_per_million=2,x=3}}',
            "the setting llm.prices.small has no key x, got 3 (--set)",
        ),
    ],
)
def test_what_a_table_within_a_setting_lacks_or_has_too_much_is_named(prices, told):
    result = run("settings", "--set", f"llm.prices={prices}")
    assert (result.exit_code, result.stderr.strip()) == (2, f"kohaku: {told}")


def test_init_makes_a_project_that_is_ready_and_never_overwrites():
    assert run("init", "mine").exit_code == 0
    assert "kohaku.toml line 4" in run("settings", "--json", "--config", "mine/kohaku.toml").stdout
    again = run("init", "mine")
    assert again.exit_code == 2
    assert "exists already" in again.stderr


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="this system has no device that is always full")
def test_output_that_finds_no_room_fails_in_one_sentence():
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "kohaku_assets.cli", "settings", "--json"],
            check=False,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert result.returncode == 1
    assert result.stderr.startswith("kohaku: no space left on a disk ([Errno 28]")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("first", ["own", "other", "none"])
def test_init_ends_with_a_command_that_works_as_it_stands(first, elsewhere, monkeypatch):
    script = Path(sys.executable).with_name("kohaku")
    (elsewhere / "kohaku").write_text("#!/bin/sh\nexit 9\n")
    (elsewhere / "kohaku").chmod(0o755)
    folders = {"own": f"{script.parent}:", "other": f"{elsewhere}:", "none": ""}
    monkeypatch.setenv("PATH", f"{folders[first]}/usr/bin:/bin")
    command = run("init", "my project").stderr.rpartition("then: ")[2].splitlines()[0]
    assert command == f"cd 'my project' && {'kohaku' if first == 'own' else script} refresh"
    called = command.removesuffix("refresh") + "settings"
    assert subprocess.run(["sh", "-ec", called], check=False, stdout=subprocess.DEVNULL).returncode == 0


def test_parse_gives_a_line_per_file_in_their_order_and_tells_a_missing_one_by_its_exit(elsewhere):
    (elsewhere / "b.md").write_text("# Amber\n\nAmber floats in salt water.\n")
    (elsewhere / "a.pdf").write_bytes(b"no pdf")
    assert run("parse", "b.md", "a.pdf").exit_code == 0
    result = run("parse", "none.txt", "b.md", "a.pdf", "--json")
    assert result.exit_code == 2
    lines = result.stdout.splitlines()
    assert len(lines) == 3
    assert json.loads(lines[0]) == {
        "file": "none.txt",
        "error": "'none.txt' cannot be read (No such file or directory)",
    }
    assert '"title": "Amber"' in lines[1]
    assert '"error"' in lines[2]


def test_parse_lists_hidden_text_and_what_a_file_lacks(elsewhere):
    Path("a.rtf").write_text(r"{\rtf1 Bees {\v never }hum.}")
    Path("b.xml").write_text('<!DOCTYPE a [<!ENTITY b SYSTEM "b.txt">]><a>Bees &b;</a>')
    assert run("parse", "a.rtf", "b.xml", *ONE_PROCESS).stdout.splitlines() == [
        "a.rtf: 'a', 1 sections, 1 paragraphs, 1 hidden texts left out",
        "  hidden: never",
        "b.xml: 'b', 1 sections, 1 paragraphs",
        "  1 entities are left out, as their text is not in the file: b",
    ]


def test_parse_lists_hidden_cells_and_formulas_without_a_value(elsewhere):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Plans"
    for row in (["plan", "price", "margin"], ["Basic", 24, 5], ["Basic", 19, 4], ["Team", "=B3*2", 9]):
        sheet.append(row)
    sheet.row_dimensions[2].hidden = True
    sheet.column_dimensions["C"].hidden = True
    book.create_sheet("Draft").sheet_state = "hidden"
    book.save("a.xlsx")
    assert run("parse", "a.xlsx").stdout.splitlines() == [
        "a.xlsx: 'a', 1 sections, 1 paragraphs, 3 hidden rows, columns or sheets left out, 1 formulas without a stored value",
        "  hidden in Plans: row 2",
        "  hidden in Plans: column C",
        "  hidden in Draft: the whole sheet",
        "  no stored value in Plans: B4",
    ]
    kept = json.loads(run("parse", "a.xlsx", "--json", "--set", "documents.hidden_cells=keep").stdout)
    assert "| Basic | 24 | 5 |" in kept["text"]


def test_parse_says_where_an_encoding_is_unsure(elsewhere):
    Path("a.txt").write_bytes(b"x\xb5y")
    Path("b.csv").write_bytes(b"x\xb5y,1\n")
    Path("c.txt").write_bytes("Les élèves français".encode("cp1252"))
    first, second, third = run("parse", "a.txt", "b.csv", "c.txt", *ONE_PROCESS).stdout.splitlines()
    assert "encoding guessed as" in first
    assert "encoding guessed as" in second
    assert third == "c.txt: 'c', 1 sections, 1 paragraphs"


def test_parse_tells_the_lines_that_are_no_json(elsewhere):
    Path("a.jsonl").write_text('{"bee": "Ann"}\nBo\n' + "Cleo\n" * 20)
    numbers = ", ".join(str(number) for number in range(2, 22))
    assert (
        run("parse", "a.jsonl").stdout
        == f"a.jsonl: 'a', 1 sections, 1 paragraphs, not valid JSON in line {numbers}, …\n"
    )


def test_parse_lists_the_lines_that_were_removed_as_running_heads(elsewhere):
    document = pymupdf.open()
    for number in (1, 2, 3):
        page = document.new_page()
        page.insert_text((72, 50), "Annual report of the works")
        page.insert_text((72, 300), f"The wheel of pump {'abc'[number - 1]} turned all day.")
        page.insert_text((300, 800), f"Page {number} of 3")
    document.save("a.pdf")
    assert run("parse", "a.pdf").stdout.splitlines() == [
        "a.pdf: 'a', 3 sections, 3 paragraphs, 6 lines of page edges and margins removed",
        "  removed from page 1 and 2 more: Annual report of the works",
        "  removed from page 1 and 2 more: Page 1 of 3",
    ]
    kept = run("parse", "a.pdf", "--set", "documents.headers_footers=keep").stdout
    assert kept == "a.pdf: 'a', 3 sections, 9 paragraphs\n"

"""What a newcomer meets: a new project around documents that are there, misspelt verbs, the pages in the browser."""

import os
import pty
import re
import signal
import socket
import subprocess
import sys
import tomllib
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner
from started_process import started_process

from kohaku_assets.cli import main
from kohaku_assets.operations.templates import TEMPLATES
from kohaku_assets.pipeline.stages import STAGES
from kohaku_lib.composition import load_settings
from kohaku_lib.errors import KohakuError

KOHAKU = [sys.executable, "-m", "kohaku_assets.cli"]


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with two documents, which is the working directory."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "bees.md").write_text("# Bees\n\nThe hive on the roof holds 31 kg of honey.\n")
    (tmp_path / "sub" / "wasps.txt").write_text("Wasps make no honey.\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "dagster_home"))
    return tmp_path


@pytest.mark.parametrize(("typed", "meant"), [("refrsh", "'refresh'"), ("aks", "'ask'"), ("serch", "'search'")])
def test_a_misspelt_verb_is_answered_by_the_one_that_was_meant(typed, meant):
    said = run(typed)
    assert said.exit_code == 2
    assert f"No such command '{typed}'. Did you mean {meant}" in said.stderr


def test_a_word_like_no_verb_suggests_none():
    assert "Did you mean" not in run("qqqqqq").stderr


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_makes_settings_that_load(template, tmp_path):
    assert run("init", tmp_path / "new", "--template", template).exit_code == 0
    settings = load_settings(environment={}, folder=tmp_path / "new").settings
    assert settings.corpus.documents == tmp_path / "new" / "data" / "documents"
    assert (settings.corpus.metadata is None) == (template == "office")
    assert settings.answerer == "reader"


def test_the_next_step_names_the_folder_of_the_project(tmp_path):
    data = tmp_path / "new" / "data"
    assert (
        f"train_QA.csv of the challenge into {data}/, then" in run("init", data.parent, "--template", "wattbot").stderr
    )


def test_documents_elsewhere_are_read_where_they_are(folder, tmp_path):
    made = run("init", tmp_path / "project", "--documents", "sub")
    assert made.exit_code == 0
    corpus = tomllib.loads((tmp_path / "project" / "kohaku.toml").read_text())["corpus"]
    assert corpus == {"documents": str(folder / "sub")}
    assert not (tmp_path / "project" / "data").exists()
    assert "no folder" in run("init", tmp_path / "other", "--documents", "none").stderr


def test_without_a_terminal_documents_that_are_there_are_named_and_left_alone(folder):
    made = run("init")
    assert (
        ". holds 2 documents (1 .md, 1 .txt), which are not read; to read them there, set in kohaku.toml:"
        in made.stderr
    )
    assert tomllib.loads(Path("kohaku.toml").read_text())["corpus"]["documents"] == "data/documents"


def test_on_a_terminal_the_documents_that_are_there_are_read_and_asked_about(folder, monkeypatch, capsys):
    """One run from an empty project to an answer; what it writes is not read as documents afterwards."""
    control, terminal = pty.openpty()
    with open(terminal, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        os.write(control, b"\n\nHow many kg of honey does the hive on the roof hold?\n\n")
        main(["init", "--no-models"], standalone_mode=False)
    os.close(control)
    out, said = capsys.readouterr()
    assert "reading the documents\nbuilding the index\n2 documents can be asked\n" in said
    assert "without rows" not in said
    assert re.search(r"^31\b.*\n  \[bees\]", out, re.MULTILINE), out
    listed = run("documents", "--json")
    assert listed.stdout.count('"parsed"') == 2
    assert listed.stdout.count('"path"') == 2


def test_failing_documents_are_told_at_once_and_once(folder):
    (folder / "broken.pdf").write_bytes(b"no pdf")
    run("init", "--documents", ".")
    done = run("refresh", "documents", "--verbose", "--set", "parallel.workers=1")
    said = [line for line in done.stderr.splitlines() if not re.match(r"  \d+ of \d+", line)]  # of a slow machine
    place = next(number for number, line in enumerate(said) if line.startswith("  broken.pdf: "))
    assert said[place - 1] == "… documents"
    assert done.stderr.count("broken.pdf: ") == 1


def test_a_refresh_ends_with_what_can_be_asked_and_why_the_rest_cannot(folder):
    (folder / "broken.pdf").write_bytes(b"no pdf")
    (folder / "sub" / "empty.txt").touch()
    for number in range(9):
        (folder / f"wasps{number}.txt").write_text("Wasps make no honey.\n")
    run("init", "--documents", ".")
    done = run("refresh")
    lines = done.stderr.splitlines()
    assert lines[:2] == ["reading the documents", "building the index"]
    place = lines.index("2 documents can be asked, 11 cannot:")
    assert lines[place + 1 : place + 4] == [
        "  broken.pdf is damaged beyond repair or is not a PDF",
        "  sub/empty.txt is empty",
        "  sub/wasps.txt: same content as 'wasps0.txt'",
    ]
    assert re.fullmatch(r"  and 1 more; \S*kohaku documents lists them", lines[place + 11])
    assert lines[place + 12].startswith("ask: ")
    assert not any(asset in done.output for asset in STAGES if asset != "documents")
    named = run("refresh", "--verbose", "--force")
    assert "… tree_nodes" in named.stderr
    assert "│ tree_nodes " in named.stdout
    assert run("refresh").stderr.splitlines()[0] == "everything is up to date"


def test_the_ui_of_a_project_answers_until_it_is_interrupted(folder):
    run("init", "--documents", ".")
    (folder / "gql.py").write_text("raise RuntimeError('a module of the project')\n")
    call = [*KOHAKU, "ui", "--set", "retrieval.top_k=3"]
    with started_process(call, stderr=subprocess.PIPE, text=True, env=os.environ) as process:
        url = next(found[0] for line in process.stderr if (found := re.search(r"http://127\.0\.0\.1:\d+", line)))
        with urllib.request.urlopen(f"{url}/server_info") as answer:
            assert b"dagster_webserver_version" in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


def test_a_port_in_use_is_one_sentence_and_the_next_one_is_taken(folder):
    from kohaku_assets.operations.ui_server import first_free_port

    run("init")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = run("ui", "--port", port)
        assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
        assert f"port {port} of 127.0.0.1 is in use; end what listens there" in refused.stderr
        assert first_free_port("127.0.0.1", port) > port
    with pytest.raises(KohakuError, match="or correct --host"):
        first_free_port("192.0.2.1", 3000)

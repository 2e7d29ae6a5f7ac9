"""A value that a document strikes out is no answer; the one that took its place is."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kohaku_assets.cli import main

ROOMS = """# Rooms

The seminar room holds ~~24~~ 36 people.

~~The hall is rented by Otto Brandt.~~ The hall is rented by Lene Falk.
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("struck") / "rooms"
    assert CliRunner().invoke(main, ["init", str(folder)]).exit_code == 0
    Path(folder, "data", "documents", "rooms.md").write_text(ROOMS, encoding="utf-8")
    done = CliRunner().invoke(main, ["refresh", "--config", str(folder / "kohaku.toml")])
    assert done.exit_code == 0, done.output
    return folder


def test_the_value_beside_a_struck_one_is_the_answer(home, monkeypatch):
    monkeypatch.chdir(home)
    answer = json.loads(
        CliRunner().invoke(main, ["ask", "How many people does the seminar room hold?", "--json"]).stdout
    )
    assert answer["answer_value"] == "36"
    assert "24" not in json.dumps(answer["citations"])


def test_parse_lists_what_is_struck_out(home, monkeypatch):
    monkeypatch.chdir(home)
    lines = CliRunner().invoke(main, ["parse", "data/documents/rooms.md"]).stdout.splitlines()
    assert lines == [
        "data/documents/rooms.md: 'Rooms', 1 sections, 2 paragraphs, 2 struck-out texts left out",
        "  struck out: 24",
        "  struck out: The hall is rented by Otto Brandt.",
    ]

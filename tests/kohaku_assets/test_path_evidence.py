"""What only the folder or the name of a file says is known: a year, a person."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kohaku_assets.cli import main

FILES = {
    "leases/2025/flat.md": "# Lease\n\nThe monthly rent of the flat is 940 EUR.\n\nThe landlord is Otto Brandt.\n",
    "leases/2026/flat.md": "# Lease\n\nThe monthly rent of the flat is 1,010 EUR.\n\nThe landlord is Lene Falk.\n",
    "staff/Ida Moe.md": "Phone: 555-0188\n\nRoom: C 11\n",
    "staff/Per Lie.md": "Phone: 555-0171\n\nRoom: B 204\n",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paths") / "home"
    assert CliRunner().invoke(main, ["init", str(folder)]).exit_code == 0
    for name, text in FILES.items():
        path = Path(folder, "data", "documents", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    done = CliRunner().invoke(main, ["refresh", "--config", str(folder / "kohaku.toml")])
    assert done.exit_code == 0, done.output
    return folder


def asked(question):
    return json.loads(CliRunner().invoke(main, ["ask", question, "--json"]).stdout)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What is the monthly rent of the flat in 2025, in EUR?", "940"),
        ("What is the monthly rent of the flat in 2026, in EUR?", "1010"),
        ("Who was the landlord in 2025?", "Otto Brandt"),
        ("Who is the landlord in 2026?", "Lene Falk"),
        ("What is Ida Moe's phone number?", "555-0188"),
        ("What is Per Lie's phone number?", "555-0171"),
    ],
)
def test_the_folder_and_the_name_of_a_file_decide_between_files(home, monkeypatch, question, value):
    monkeypatch.chdir(home)
    assert asked(question)["answer_value"] == value


def test_no_passage_of_a_file_of_another_year_is_shown(home, monkeypatch):
    monkeypatch.chdir(home)
    answer = asked("How large is the cellar in 2025?")
    assert answer["answer_value"] is None
    assert not any("2026" in passage["document_id"] for passage in answer["passages"])


def test_search_finds_a_file_by_its_folder(home, monkeypatch):
    monkeypatch.chdir(home)
    for year in ("2025", "2026"):
        found = json.loads(CliRunner().invoke(main, ["search", f"rent {year}", "--json", "--top-k", "1"]).stdout)
        assert f"leases/{year}" in json.dumps(found)

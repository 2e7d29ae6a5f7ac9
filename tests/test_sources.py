"""Every row of docs/sources.csv is followed: its profile has the value, and its code and its test exist."""

import ast
import csv
import json
from functools import cache
from pathlib import Path

import pytest

from kohaku_lib.composition import load_settings
from kohaku_lib.settings import pick
from kohaku_lib.settings.profiles import PROFILES

ROOT = Path(__file__).resolve().parents[1]
SECTIONS = {  # those that the documents number, or have as headings and figures
    "000": [
        *(f"{phase}.{step}" for phase, steps in ((1, 5), (2, 7), (3, 5)) for step in range(1, steps + 1)),
        *("Overview", "Defaults", "Example", "Sweeps"),
    ],
    "001": ["Abstract", *(f"Figure {number}" for number in range(1, 6))],
    "002": ["1", "2", "3", "4", "Defaults"],
    "003": [
        "Overview",
        *(f"Components {number}" for number in range(1, 4)),
        *(f"Step {number}" for number in range(1, 7)),
        *("Graph channel", "OCR", "Defaults", "Tool", "Performance"),
    ],
    "004": ["Overview", *(f"Step {number}" for number in range(1, 11)), "Levels", "Settings"],
}


def read_rows():
    with (ROOT / "docs" / "sources.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


ROWS = read_rows()


def row_name(row):
    return f"{row['source']} {row['section']}: {row['statement']}"


@cache
def settings_of(profile):
    return load_settings(overrides=[f"profile={profile}"], environment={}, folder=ROOT / "docs").settings


@cache
def definitions_in(path):
    """The names that a module defines at its top level, without importing it."""
    names = set()
    for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        names |= {target.id for target in targets if isinstance(target, ast.Name)}
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
    return names


def stated_value(text):
    try:
        return json.loads(text)
    except ValueError:
        return text  # a word needs no quotation marks


def test_every_section_of_every_source_has_rows_and_no_row_stands_twice():
    sections = {source: [row["section"] for row in ROWS if row["source"] == source] for source in SECTIONS}
    missing = [
        (source, name)
        for source, names in SECTIONS.items()
        for name in names
        if not any(section == name or section.startswith(f"{name} ") for section in sections[source])
    ]
    assert missing == []
    assert len(ROWS) >= 150
    assert len(set(map(row_name, ROWS))) == len(ROWS)
    assert {row["source"] for row in ROWS} == set(SECTIONS)


def test_every_profile_of_a_published_system_is_in_the_table():
    assert {row["profile"] for row in ROWS} - {""} == set(PROFILES) - {"fast"}


@pytest.mark.parametrize("row", [row for row in ROWS if row["setting"]], ids=row_name)
def test_the_profile_has_the_values_that_the_row_states(row):
    stated = dict(setting.split(" = ", 1) for setting in row["setting"].split("; "))
    expected = {key: stated_value(text) for key, text in stated.items()}
    assert pick(settings_of(row["profile"]), expected) == expected


@pytest.mark.parametrize("row", ROWS, ids=row_name)
def test_code_and_test_of_a_row_exist(row):
    path, name = row["code"].split("::")
    assert name in definitions_in(path)
    path, name = row["test"].split("::")
    assert path.startswith("tests/")
    assert name.startswith("test_")
    assert name in definitions_in(path)

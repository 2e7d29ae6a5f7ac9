"""What the messages of the code advise exists: verbs with their options, settings with their values, extras."""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

from known_commands import unknown_parts

from kohaku_lib.composition import load_settings
from kohaku_lib.composition.model import settings_model
from kohaku_lib.errors import SettingsError
from kohaku_lib.settings import leaf_fields

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
FILES = [
    path
    for name in ("kohaku_lib", "kohaku_assets")
    for path in sorted((ROOT / name).rglob("*.py"))
    if "testing" not in path.parts
]
VALUE = "…"  # stands for a value within a message
SETTING = r"(?<![\w./-])[a-z]+(?:\.[a-z][a-z_]*)+(?![\w(/*])"


@cache
def sentences():
    """The texts of the code that hold several words, docstrings excepted, each with its place."""
    return [(f"{path.relative_to(ROOT)}:{line}", text) for path in FILES for line, text in texts(path) if " " in text]


def texts(path):
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    within = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    within |= {id(node.value) for node in nodes if isinstance(node, ast.Expr)}  # docstrings
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(part.value if isinstance(part, ast.Constant) else VALUE for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in within:
            yield node.lineno, node.value


def test_the_verbs_and_options_in_messages_exist():
    named = [(place, found) for place, text in sentences() for found in re.findall(r"'kohaku ([a-z][^'\n]*)'", text)]
    assert len(named) > 50
    assert [(place, words, wrong) for place, words in named if (wrong := unknown_parts(words.split()))] == []


def test_the_settings_in_messages_exist():
    known = leaf_fields(settings_model())
    names = {".".join(key.split(".")[:n]) for key in known for n in range(1, key.count(".") + 2)}
    named = [(place, key) for place, text in sentences() for key in re.findall(SETTING, text) if is_setting(key)]
    assert len(named) > 200
    assert [(place, key) for place, key in named if key not in names] == []


def is_setting(key):
    return key.partition(".")[0] in settings_model().model_fields


def test_the_values_that_messages_give_to_settings_are_among_their_values(tmp_path):
    form = re.compile(rf"({SETTING}) (?:=|to) ('[\w-]+'|true|false|\d+(?:\.\d+)?)(?![\w.])")
    given = {(place, *found) for place, text in sentences() for found in form.findall(text) if is_setting(found[0])}
    assert len(given) > 30
    assert [(*one, wrong) for one in given if (wrong := refused(tmp_path, *one[1:]))] == []


def refused(folder, key, value):
    try:
        load_settings(overrides=[f"{key}={value}"], environment={}, folder=folder)
    except SettingsError as error:
        return str(error) if f"the setting {key} must be" in str(error) or "there is no setting" in str(error) else None
    return None


def test_what_is_not_installed_is_installed_by_a_command_whose_extra_exists():
    told = [text.partition("is not installed; run ")[2] for _, text in sentences()]
    assert {rest[:1] for rest in told if rest} == {VALUE}  # a command that a function made
    code = [path.read_text(encoding="utf-8") for path in FILES]
    extras = {extra for text in code for extra in re.findall(r"(?<!>> )install_command\(['\"](\w+)['\"]\)", text)}
    assert len(extras) > 5
    assert extras <= set(EXTRAS)

"""What texts for users name of Kohaku: settings, commands and options, wherever they write them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml
from page_blocks import FENCE, PAGES, ROOT

from kohaku_lib.settings import SweepSettings, leaf_fields

READ = [  # beside the pages
    *(ROOT / name for name in ("CHANGELOG.md", "SECURITY.md", "kohaku.toml", "compose.yaml", "Dockerfile")),
    *(
        path
        for folder in ("deploy", "dagster_home", ".github", "examples")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in {".md", ".toml", ".yaml", ".yml"} and "documents" not in path.parts
    ),
]
TEXTS = [*PAGES, *READ]
# a dotted name in backticks that is none of these is a setting
FILE = re.compile(r".*\.(csv|duckdb|env|html|json|jsonl|py|toml|txt|yaml)")
PARTS_OF_OTHERS = ("kohaku", "kohaku_assets", "kohaku_lib", "current_index", "pytest", "storage", "dependencies")
OF_PACKAGES = "rerank.options."  # settings that a reranker of another package brings
SETTINGS = set(leaf_fields())
SECTIONS = {key[:place] for key in SETTINGS for place, sign in enumerate(key) if sign == "."}
LAST_PARTS = {key.rpartition(".")[2] for key in SETTINGS} | set(SweepSettings.model_fields)
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
NO_SECTIONS = {*EXTRAS, "section", "erased"}  # what stands for any, and what an erased text leaves
CODE = re.compile(r"`([^`\n]+)`")
COMMAND = re.compile(r"(?:^[\s#$]*|[|&;(/] *|=\S* |CMD +)kohaku ([a-z][a-z-]*(?: [^|;&#)\n]*)?)", re.MULTILINE)


def unknown_settings(path: Path) -> set[str]:
    """Return the settings that a file names and that do not exist."""
    text = path.read_text(encoding="utf-8")
    named = {
        name.lower().replace("__", ".") for name in re.findall(r"\bKOHAKU_([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*__\w+)", text)
    }
    named |= set(re.findall(r"--set '?([a-z_.]+)=", text))
    if path.suffix == ".toml":
        named |= set(_keys(text))
    elif path.suffix == ".md":
        named |= {key for language, block in FENCE.findall(text) if language == "toml" for key in _keys(block)}
        named |= {key for span in _spans(text) for key in _in_span(span)}
    else:
        words = re.findall(r"(?<![\w./-])([a-z_]+(?:\.[a-z_]+)+)(?![\w(/*.-])", text)
        named |= {word for word in words if word.partition(".")[0] in SECTIONS and not FILE.fullmatch(word)}
    return {name for name in named if name not in SETTINGS | SECTIONS and not name.startswith(OF_PACKAGES)}


def commands(path: Path) -> Iterator[list[str]]:
    """Yield the words behind "kohaku" of each command that a file writes."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        texts = [*_spans(text), *(block for _, block in FENCE.findall(text))]
    elif path.suffix in {".yaml", ".yml"}:
        texts = [*re.findall(r"[`#]([^`#\n]+)", text), *map(" ".join, _lists([*yaml.safe_load_all(text)]))]
    else:
        texts = [re.sub(r'[",\[\]]+', " ", line) for line in text.splitlines() if "kohaku" in line and line[0] != "#"]
    for written in texts:
        for words in COMMAND.findall(re.sub(r" +|\\\n", " ", written)):
            yield words.split()


def lone_options(path: Path) -> set[str]:
    """Return the options that a page names by themselves: `--json`."""
    if path.suffix != ".md":
        return set()
    return {word for span in _spans(path.read_text(encoding="utf-8")) for word in re.findall(r"^--[a-z][a-z-]*", span)}


def _spans(text: str) -> list[str]:
    return CODE.findall(FENCE.sub("", text))


def _in_span(span: str) -> Iterator[str]:
    """The setting or section that a piece of code in a sentence is.

    >>> [list(_in_span(span)) for span in ("llm.model", 'llm.modle = "x"', "metadata.csv", "batc = true", "[llm]", "llm.*")]
    [['llm.model'], ['llm.modle'], [], ['batc ='], ['llm'], ['llm']]
    """
    if (section := re.fullmatch(r"\[([a-z_.]+)\]", span)) and section[1] not in NO_SECTIONS:
        yield section[1]
    match = re.fullmatch(r"([a-z_]+(?:\.[a-z_]+)*)(\.\*| = .*)?", span)
    if match is None or FILE.fullmatch(name := match[1]) or name.partition(".")[0] in PARTS_OF_OTHERS:
        return
    if "." in name or match[2] == ".*":
        yield name
    elif span != name and name not in LAST_PARTS:
        yield f"{name} ="


def _keys(text: str) -> Iterator[str]:
    """The settings of a kohaku.toml, also those behind a "#"; none of another file."""
    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return  # a piece of a file, which its own test reads
    if "project" not in read:
        yield from _flat(read, "")
        yield from (f"{key} =" for key in re.findall(r"^# ([a-z_]+) = ", text, re.MULTILINE) if key not in LAST_PARTS)


def _flat(table: dict[str, Any], above: str) -> Iterator[str]:
    for name, value in table.items():
        key = f"{above}{name}"
        if isinstance(value, dict) and key not in SETTINGS:
            yield from _flat(value, f"{key}.")
        else:
            yield key


def _lists(value: object) -> Iterator[list[str]]:
    """The lists of texts within a value of YAML, which may be commands; a text counts as one."""
    if isinstance(value, str):
        yield [value]
    elif isinstance(value, dict):
        yield from _all(value.values())
    elif isinstance(value, list):
        yield [item for item in value if isinstance(item, str)]
        yield from _all(item for item in value if not isinstance(item, str))


def _all(values: Iterable[object]) -> Iterator[list[str]]:
    for value in values:
        yield from _lists(value)

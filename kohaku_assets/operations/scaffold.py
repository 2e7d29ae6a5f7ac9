"""The files of a new project folder."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from kohaku_assets.components.dagster_instance import DAGSTER
from kohaku_assets.operations.templates import TEMPLATES, Template
from kohaku_lib.documents import corpus_files
from kohaku_lib.errors import InputFileError
from kohaku_lib.settings import CorpusSettings

DOCUMENTS = "data/documents"

_SETTINGS = """\
# Settings of this project; 'kohaku settings' lists all of them with their defaults.

{more}[corpus]
documents = {documents}  # PDF, Markdown, HTML, Office, mail, CSV, text; subfolders are included
{corpus}
# The built-in reader answers; with llm.provider and llm.model a language model does (docs/local-model.md).
"""

WORKSPACE = """\
load_from:
  - python_module: kohaku_assets.definitions
"""


@dataclass(frozen=True, slots=True)
class NewProject:
    """The paths written, the folder of documents as kohaku.toml names it, and what to do first, if anything."""

    paths: tuple[Path, ...]
    documents: str
    first: str | None


def make_project(
    folder: Path, template: str = "office", documents: Path | None = None, *, has_dagster: bool = True
) -> NewProject:
    """Write the files of a new project into `folder`; its documents are those of `documents`, by default data/documents.

    With `has_dagster` they include those of a Dagster of its own; a project within a deployment has none.

    Raises:
        InputFileError: One of the files exists already and says something else, or `documents` is no folder; nothing is
            written.
    """
    kind = TEMPLATES[template]
    named = _named_from(folder, documents) if documents else DOCUMENTS
    files = {
        "kohaku.toml": _settings_text(kind, named, keeps_store_hidden=named == "."),
        **({"workspace.yaml": WORKSPACE, "dagster_home/dagster.yaml": DAGSTER} if has_dagster else {}),
        ".gitignore": ".env\ndata/store/\n.kohaku/\ndagster_home/*\n!dagster_home/dagster.yaml\n",
        **({} if documents else {f"{DOCUMENTS}/.gitkeep": ""}),
        **kind.files,
    }
    present = {name for name in files if (folder / name).exists()}
    foreign = [name for name in files if name in present and not _may_stay(folder / name, files[name])]
    if foreign:
        msg = f"{str(folder / foreign[0])!r} exists already and was not changed; choose another folder"
        raise InputFileError(msg)
    for name in files.keys() - present:
        path, text = folder / name, files[name]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    needs_more = documents is None or template != "office"
    first = kind.first.format(documents=folder / named, data=folder / "data") if needs_more else None
    return NewProject(tuple(folder / name for name in files), named, first)


def _may_stay(path: Path, text: str) -> bool:
    """Return whether a project can use the file at `path` as it is; two projects in one folder cannot share kohaku.toml."""
    return path.name == ".gitignore" or (path.name != "kohaku.toml" and path.read_bytes() == text.encode("utf-8"))


def documents_in(folder: Path) -> Counter[str]:
    """Return how many files of each document format are in `folder` and below, by suffix, most frequent first."""
    if not folder.is_dir():
        return Counter()
    suffixes = Counter(path.suffix.lower() for path in corpus_files(CorpusSettings(documents=folder)).paths)
    return Counter(dict(suffixes.most_common()))


def _named_from(folder: Path, documents: Path) -> str:
    """Return how kohaku.toml in `folder` names `documents`: relative if it is inside, else absolute."""
    place, base = documents.expanduser().resolve(), folder.resolve()
    if not place.is_dir():
        msg = f"--documents names {str(documents)!r}, which is no folder; name the folder of your documents"
        raise InputFileError(msg)
    return place.relative_to(base).as_posix() if place.is_relative_to(base) else str(place)


def _settings_text(kind: Template, documents: str, *, keeps_store_hidden: bool) -> str:
    quoted = json.dumps(documents, ensure_ascii=False).ljust(len('"data/documents"') + 5)
    text = _SETTINGS.format(more=kind.more, documents=quoted, corpus=kind.corpus)
    store = 'store = ".kohaku/store"            # hidden, so that results are not read as documents\n\n'
    return text.replace("\n\n", f"\n\n{store}", 1) if keeps_store_hidden else text

"""The files of a new project folder."""

from __future__ import annotations

from pathlib import Path

from kohaku_assets.components.dagster_instance import DAGSTER
from kohaku_lib.errors import InputFileError

SETTINGS = """\
# Settings of this project; 'kohaku settings' lists all of them with their defaults.

[corpus]
documents = "data/documents"       # PDF, Markdown, HTML, Office, CSV, text; subfolders are included
# metadata = "data/metadata.csv"   # id, type, title, year, citation, url
# questions = "data/questions.csv" # id, question; optional truth in answer_value and ref_id

[llm]
provider = "reader"                # without a language model; "openai", "openrouter" and "local" use one
"""

WORKSPACE = """\
load_from:
  - python_module: kohaku_assets.definitions
"""

FILES = {
    "kohaku.toml": SETTINGS,
    "workspace.yaml": WORKSPACE,
    "dagster_home/dagster.yaml": DAGSTER,
    "data/documents/.gitkeep": "",
    ".gitignore": ".env\ndata/store/\ndagster_home/*\n!dagster_home/dagster.yaml\n",
}


def make_project(folder: Path) -> list[Path]:
    """Write the files of a new project into `folder` and return their paths.

    Raises:
        InputFileError: One of the files exists already; nothing is written.
    """
    present = [name for name in FILES if (folder / name).exists()]
    if present:
        msg = f"{str(folder / present[0])!r} exists already and was not changed; choose another folder"
        raise InputFileError(msg)
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [folder / name for name in FILES]

"""A project of three organisations whose documents have the same names and subjects, so that one question fits all three.

Every line of a document ends with the secret of its organisation, which no request ever names: a text that holds the
secret of another organisation, or the path of its documents, is a leak.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection
from pathlib import Path

import pytest
from filelock import FileLock
from stage_refresh import refresh_stages

from kohaku_assets.pipeline.project import Project
from kohaku_lib.composition import load_settings

ROOT = Path(__file__).resolve().parents[2]
NAMES = {"acme": "Quorvex", "bolt": "Zyltrane", "cobb": "Brimfoll"}  # in documents and questions, by organisation
SECRETS = {"acme": "aa71311q", "bolt": "bb82422z", "cobb": "cc93533b"}  # in documents alone
SUBJECTS = ("warehouse", "furnace", "ferry", "orchard", "foundry", "observatory")
YEARS = (2021, 2022, 2023)


def copied_organisations(home: Path, folders: pytest.TempPathFactory) -> Project:
    """Return a copy at `home` of the project of `three_organisations`, built once for all processes that run tests."""
    shared = folders.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    with FileLock(shared / "organisations.lock"):
        if not (shared / "organisations.built").exists():
            shutil.rmtree(shared / "organisations", ignore_errors=True)
            three_organisations(shared / "organisations")
            (shared / "organisations.built").touch()
    shutil.copytree(shared / "organisations", home, dirs_exist_ok=True)
    return Project(load_settings(environment={}, folder=home))


def three_organisations(home: Path, org_ids: Collection[str] = tuple(NAMES)) -> Project:
    """Return a project at `home` with the documents of three organisations, or some of them, built and published."""
    for number, (org_id, name) in enumerate(NAMES.items(), start=1):
        if org_id not in org_ids:
            continue
        folder = home / "documents" / org_id
        folder.mkdir(parents=True)
        for subject in SUBJECTS:
            (folder / f"{subject}.md").write_text(_document(subject, name, SECRETS[org_id], number), encoding="utf-8")
        _write_figure(folder / "plan.pdf", name, SECRETS[org_id], number)
    settings = '[corpus]\ndocuments = "documents"\norg_folders = true\norg_id = "acme"\n'
    (home / "kohaku.toml").write_text(settings, encoding="utf-8")
    (home / "dagster_home").mkdir()
    shutil.copy(ROOT / "dagster_home" / "dagster.yaml", home / "dagster_home")
    project = Project(load_settings(environment={}, folder=home))
    failure = refresh_stages(project).failure
    assert failure is None, failure
    return Project(project.loaded)


def leaked(org_id: str, text: str) -> list[str]:
    """Return the secrets and paths of organisations other than `org_id` that `text` holds.

    >>> leaked("acme", "bolt/ferry.md holds bb82422z")
    ['bb82422z', 'bolt/']
    """
    others = [other for other in NAMES if other != org_id]
    return [mark for other in others for mark in (SECRETS[other], f"{other}/") if mark in text]


def _document(subject: str, name: str, secret: str, number: int) -> str:
    """Return a document about a subject; values of organisation `number` differ from those of the others."""
    used = [f"The {subject} of {name} used {number}{year % 100}00 kWh in {year}, says {secret}." for year in YEARS]
    water = [f"| {year} {secret} | {number}0{year % 100} |" for year in YEARS]
    person = f"{subject.title()}son {secret} is the manager who maintains the {subject} of {name}."
    table = [f"| year {secret} | water of the {subject} in litres |", "|---|---|", *water]
    heads = [f"# The {subject} of {name} {secret}", f"## Energy {secret}", f"## People {secret}", f"## Water {secret}"]
    return "\n\n".join([heads[0], heads[1], *used, heads[2], person, heads[3], "\n".join(table)]) + "\n"


def _write_figure(path: Path, name: str, secret: str, number: int) -> None:
    """Write a page with a picture and its caption."""
    import pymupdf

    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), f"The plan of {name} {secret}", fontsize=16)
    page.insert_text(
        (72, 110), f"This page shows where the ferry and the orchard of {name} lie, {secret}.", fontsize=11
    )
    picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 320, 200))
    picture.clear_with(255)
    picture.set_rect(pymupdf.IRect(20, 20, 60 * number, 180), (40 * number, 90, 160))  # of one colour it were no figure
    page.insert_image(pymupdf.Rect(72, 140, 392, 340), pixmap=picture)
    page.insert_text((72, 360), f"Figure 1: Plan of the ferry and the orchard of {name}, {secret}.", fontsize=10)
    document.save(path)

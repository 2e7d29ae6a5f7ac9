"""`kohaku parse`: parse files and print what was found in them."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.shared.options import PATH, json_option, with_settings
from kohaku_assets.cli.shared.output import emit, say
from kohaku_assets.cli.shared.terminal import json_text
from kohaku_assets.cli.shared.verb import USER_MISTAKE, finish, verb
from kohaku_lib.errors import InputFileError

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.documents import ParseOutcome

_MOST_CELLS = 10


@click.command("parse")
@click.argument("files", type=PATH, nargs=-1, required=True)
@click.option(
    "--html",
    type=PATH,
    help="Write the pages of one FILE beside what was read of them as an HTML page.",
)
@click.option(
    "--folder",
    type=PATH,
    help="Write the text, the JSON and the figures of one FILE, and of what is attached to it, into a folder.",
)
@click.option("--pages", help="Pages to show with --html: 3, 1-5 or 1-3,8.")
@verb("kohaku parse data/sample/documents/*.pdf --json")
@json_option
@with_settings
def parse_command(
    project: Project,
    files: tuple[Path, ...],
    html: Path | None,
    folder: Path | None,
    pages: str | None,
    as_json: bool,
) -> None:
    """Parse FILES and print a line for each, in their order: what was found in it, or its error.

    Below it stands what is not part of the text: running heads and page numbers (documents.headers_footers = "keep" leaves
    them in), hidden cells (documents.hidden_cells = "keep" reads them), hidden and struck-out text, formulas without a stored
    value, and what a damaged file lacks. Files that are attached or embedded follow with lines of their own; in JSON they are
    in the key "children".

    Exits with 2 if one of FILES does not exist, even if the others were parsed.
    """
    from kohaku_lib.documents import parse_paths

    if html is not None:
        _write_view(project, files, html, pages)
        return
    if pages is not None:
        msg = f"--pages {pages} requires --html; add --html OUT.html or omit --pages"
        raise InputFileError(msg)
    if folder is not None:
        _write_folder(project, files, folder)
        return
    for outcome in parse_paths(files, project.settings.documents, project.settings.parallel.workers):
        emit(json_text(_record(outcome)) if as_json else "\n".join(_lines(outcome)))
    if any(not file.exists() or file.is_dir() for file in files):
        sys.exit(USER_MISTAKE)


def _write_view(project: Project, files: tuple[Path, ...], html: Path, pages: str | None) -> None:
    from kohaku_lib.documents.parse_paths import attached_paths
    from kohaku_lib.documents.viewer.file import page_range, view_file
    from kohaku_lib.storage import write_atomically

    if len(files) != 1:
        msg = f"--html shows one file, got {len(files)}; give one"
        raise InputFileError(msg)
    page = view_file(files[0], project.settings.documents, page_range(pages) if pages else None)
    write_atomically(html, lambda path: path.write_text(page, encoding="utf-8"))
    say(f"{files[0]} → {html}")
    for path, fault in attached_paths(files[0], project.settings.documents):
        say(f"{path} is not shown: {fault or 'it has a page of its own, by --html of this path'}")


def _write_folder(project: Project, files: tuple[Path, ...], folder: Path) -> None:
    from kohaku_lib.documents.folder_export import export_folder

    if len(files) != 1:
        msg = f"--folder exports one file, got {len(files)}; give one"
        raise InputFileError(msg)
    report = export_folder(files[0], folder, project.settings.documents, project.settings.images)
    finish(report, f"{files[0]} → {folder} with {report.rows_computed} images")


def _record(outcome: ParseOutcome) -> dict[str, Any]:
    """Return the payload of a file, or the file and its error, with those of what is attached to it."""
    own = outcome.payload or {"file": str(outcome.path), "error": outcome.error}
    return own | ({"children": [_record(child) for child in outcome.children]} if outcome.children else {})


def _lines(outcome: ParseOutcome) -> list[str]:
    own = [_parse_line(outcome), *_removed_lines(outcome), *_unread_cells(outcome), *_lost(outcome)]
    return [*own, *(f"  {line}" for child in outcome.children for line in _lines(child))]


def _parse_line(outcome: ParseOutcome) -> str:
    if outcome.payload is None:
        return f"{outcome.path}: {outcome.status}: {outcome.error}"
    from kohaku_lib.documents.lost_parts import struck_texts

    sections = outcome.payload["sections"] or []
    paragraphs = sum(len(section["paragraphs"]) for section in sections)
    removed = len(outcome.payload["metadata"].get("removed_lines", ()))
    hidden, empty = (
        len(outcome.payload["metadata"].get(key, ())) for key in ("hidden_cells", "formulas_without_value")
    )
    more = f", {removed} lines of page edges and margins removed" if removed else ""
    more += f", {hidden} hidden rows, columns or sheets left out" if hidden else ""
    concealed = len(outcome.payload["metadata"].get("hidden_text", ()))
    more += f", {concealed} hidden texts left out" if concealed else ""
    struck, _ = struck_texts(outcome.payload["metadata"])
    more += f", {struck} struck-out texts left out" if struck else ""
    more += f", {empty} formulas without a stored value" if empty else ""
    encoding = outcome.payload["metadata"].get("unsure_encoding")
    more += f", encoding guessed as {encoding}" if encoding else ""
    unread = outcome.payload["metadata"].get("unread_lines")
    if unread:
        more += f", not valid JSON in line {', '.join(map(str, unread['first']))}"
        more += ", …" if unread["count"] > len(unread["first"]) else ""
    return f"{outcome.path}: {outcome.payload['title']!r}, {len(sections)} sections, {paragraphs} paragraphs{more}"


def _removed_lines(outcome: ParseOutcome) -> list[str]:
    """Return a line for each removed text, numbers aside, with the pages it stood on."""
    pages: dict[str, list[int]] = {}
    example: dict[str, str] = {}
    for page, text in outcome.payload["metadata"].get("removed_lines", ()) if outcome.payload else ():
        alike = re.sub(r"\d+|\b[ivxlc]+\b", "#", text)
        pages.setdefault(alike, []).append(page)
        example.setdefault(alike, text)
    return [
        f"  removed from page {found[0]}" + (f" and {len(found) - 1} more" if found[1:] else "") + f": {example[alike]}"
        for alike, found in pages.items()
    ]


def _lost(outcome: ParseOutcome) -> list[str]:
    """Return a line for each text that is hidden or struck out, and one for each kind of content that the file lacks."""
    from kohaku_lib.documents.lost_parts import lost_parts, struck_texts

    metadata = outcome.payload["metadata"] if outcome.payload else {}
    hidden, (count, struck) = metadata.get("hidden_text", ()), struck_texts(metadata)
    more = [f"  struck out: {count - len(struck)} more"] if count > len(struck) else []
    return [
        *(f"  hidden: {text}" for text in hidden),
        *(f"  struck out: {text}" for text in struck),
        *more,
        *(f"  {sentence}" for sentence in lost_parts(metadata)),
    ]


def _unread_cells(outcome: ParseOutcome) -> list[str]:
    """Return a line for each hidden range, and one for each sheet with formulas that have no stored value."""
    metadata = outcome.payload["metadata"] if outcome.payload else {}
    formulas: dict[str, list[str]] = {}
    for sheet, cell in metadata.get("formulas_without_value", ()):
        formulas.setdefault(sheet, []).append(cell)
    return [
        *(f"  hidden in {sheet}: {place}" for sheet, place in metadata.get("hidden_cells", ())),
        *(
            f"  no stored value in {sheet}: {', '.join(cells[:_MOST_CELLS])}"
            + (f" and {len(cells) - _MOST_CELLS} more" if cells[_MOST_CELLS:] else "")
            for sheet, cells in formulas.items()
        ),
    ]

"""Export of one file as a folder: its text as Markdown, its payload as JSON, and its figures as images."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from kohaku_lib.documents.figures.extract_images import extract_images
from kohaku_lib.documents.identifiers import image_storage_key
from kohaku_lib.documents.markdown_export import payload_to_markdown
from kohaku_lib.documents.parse_paths import ParseOutcome, parse_paths
from kohaku_lib.documents.payloads import payload_from_json
from kohaku_lib.errors import DocumentError, InputFileError
from kohaku_lib.settings import CorpusSettings, DocumentsSettings, ImagesSettings
from kohaku_lib.storage import write_atomically
from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload, StageReport

MARKDOWN, PAYLOAD, IMAGES, ATTACHED = "document.md", "document.json", "images", "attached"


def export_folder(path: Path, folder: Path, settings: DocumentsSettings, images: ImagesSettings) -> StageReport:
    """Write document.md, document.json and images/pPAGE-iINDEX.webp of the file at `path` to a new or empty `folder`.

    The Markdown shows each extracted figure in its place, with its printed caption; figures are extracted from PDFs
    alone. What is attached to the file has the same in attached/NAME. The report counts the images, and lists the figures
    that cannot be decoded, and the attachments that cannot be parsed.

    Raises:
        DocumentError: The file cannot be parsed.
        InputFileError: The folder is a file, or has files.

    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        msg = f"{str(folder)!r} exists and is no empty folder; name another one"
        raise InputFileError(msg)
    (outcome,) = parse_paths([path], settings, 1)
    if outcome.payload is None:
        raise DocumentError(outcome.error)
    reports = list(_exported(outcome, path.parent, folder, images))
    problems = tuple(problem for report in reports for problem in report.problems)
    return StageReport(sum(report.rows_computed for report in reports), problems=problems)


def _exported(outcome: ParseOutcome, home: Path, folder: Path, images: ImagesSettings) -> Iterator[StageReport]:
    """Write a file of the folder `home`, and below it what is attached to it; yield the report of each."""
    if outcome.payload is None:
        yield StageReport(0, problems=(f"{outcome.path.relative_to(home).as_posix()}: {outcome.error}",))
        return
    payload = payload_from_json(outcome.payload)
    figures, report = _figures(outcome, home, payload.document_id, images)
    folder.mkdir(parents=True, exist_ok=True)
    file_by_key: dict[str, str] = {}
    for row in figures.to_pylist():
        file_by_key[row["storage_key"]] = f"{IMAGES}/p{row['page']}-i{row['idx']}.webp"
        target = folder / file_by_key[row["storage_key"]]
        target.parent.mkdir(exist_ok=True)
        write_atomically(target, lambda place, data=row["bytes"]: place.write_bytes(data))
    text = payload_to_markdown(_with_figures(payload, file_by_key))
    value = json.dumps(outcome.payload, ensure_ascii=False, indent=1) + "\n"
    write_atomically(folder / MARKDOWN, lambda place: place.write_text(text, encoding="utf-8"))
    write_atomically(folder / PAYLOAD, lambda place: place.write_text(value, encoding="utf-8"))
    yield StageReport(len(file_by_key), problems=report.problems)
    for child in outcome.children:
        yield from _exported(child, home, folder / ATTACHED / child.path.name, images)


def _figures(
    outcome: ParseOutcome, home: Path, document_id: str, settings: ImagesSettings
) -> tuple[pa.Table, StageReport]:
    row = {
        "document_id": document_id,
        "path": outcome.path.relative_to(home).as_posix(),
        "sha256": None,  # it was parsed just now
        "payload_json": json.dumps(outcome.payload),
    }
    return extract_images(pa.Table.from_pylist([row]), CorpusSettings(documents=home), settings, 1)


def _with_figures(payload: DocumentPayload, file_by_key: Mapping[str, str]) -> DocumentPayload:
    """Return the payload with a Markdown reference in place of each figure that has a file."""

    def shown(paragraph: ParagraphPayload) -> ParagraphPayload:
        facts = paragraph.metadata
        if facts.get("attachment_type") != "image":
            return paragraph
        file = file_by_key.get(image_storage_key(payload.document_id, facts["page"], facts["image_index"]))
        caption = " ".join((facts.get("page_caption") or "").replace("[", "(").replace("]", ")").split())
        return ParagraphPayload(f"![{caption}]({file})") if file else paragraph

    def of_section(section: SectionPayload) -> SectionPayload:
        return replace(section, paragraphs=tuple(map(shown, section.paragraphs)))

    return replace(payload, sections=None if payload.sections is None else tuple(map(of_section, payload.sections)))

"""Steps of the group ingest: from a folder of files to parsed documents, their images and captions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kohaku_assets.components.index_models import make_describer, make_image_reader
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_inputs import Inputs, StageOutput
from kohaku_assets.pipeline.stages import STAGES
from kohaku_lib.documents import (
    DOCUMENT_ROW_CACHE_SCHEMA,
    IMAGE_TEXT_ROW_CACHE_SCHEMA,
    caption_images,
    image_parts,
    parse_documents,
)
from kohaku_lib.documents.corpus.registry import READY
from kohaku_lib.documents.worker.supervisor import parse_crew
from kohaku_lib.storage import StagePart, StageReader, windows

# Limits per window held in memory: number of files or images, and bytes of the files.
FILES_AT_ONCE, BYTES_AT_ONCE, DOCUMENTS_AT_ONCE, IMAGES_AT_ONCE = 512, 24_000_000, 32, 256
_IDENTITY = ("path", "document_id", "sha256")


def source_files(run: Run, _inputs: Inputs) -> StageOutput:
    """The manifest of the source folder: content hash, document id and metadata.csv row of every file."""
    return run.project.user_files.sources


def documents(run: Run, inputs: Inputs) -> Iterator[StagePart]:
    """Parsed documents as payload trees; a document that fails is a row with the reason and does not stop others."""
    settings, sources, before = run.settings, inputs["source_files"], 0
    crew = parse_crew(settings.parallel, settings.documents.ocr)
    total = sources["status"].to_pylist().count(READY)
    earlier_row = _earlier_rows(inputs.previous.reader)
    with run.session.row_cache(f"documents/{STAGES['documents'].code_tag}", DOCUMENT_ROW_CACHE_SCHEMA) as cache:
        for window in windows(sources, FILES_AT_ONCE, "size_bytes", BYTES_AT_ONCE):
            progress = _window_progress(run, before, total)
            table, report = parse_documents(
                *(
                    window,
                    settings.corpus,
                    settings.documents,
                    cache,
                    settings.parallel.workers,
                    progress,
                    run.on_problem,
                ),
                earlier_row=earlier_row,
                retry_failures="documents" in run.force,
                crew=crew,
            )
            before += table.num_rows
            yield StagePart(table, report)


def document_images(run: Run, inputs: Inputs) -> StageOutput:
    """Figures of the documents as WebP blobs with their printed captions."""
    settings, documents = run.settings, inputs.open("documents")
    batches, on_done = documents.batches(DOCUMENTS_AT_ONCE), _window_progress(run, 0, documents.num_rows)
    workers, crew = settings.parallel.workers, parse_crew(settings.parallel)
    return image_parts(batches, settings.corpus, settings.images, workers, inputs.previous, on_done, crew)


def image_captions(run: Run, inputs: Inputs) -> Iterator[StagePart]:
    """One searchable caption per image: printed, recognised by OCR, or written by a vision model."""
    with run.session.row_cache("image_captions", IMAGE_TEXT_ROW_CACHE_SCHEMA) as cache:
        describer, reader = make_describer(run.session), make_image_reader(run.session)
        for images in inputs.open("document_images").batches(IMAGES_AT_ONCE):
            wanted = images.slice(0, 0) if run.settings.images.captions == "off" else images
            yield StagePart(*caption_images(wanted, describer, reader, cache))


def _earlier_rows(earlier: StageReader | None) -> Callable[[Mapping[str, Any]], dict[str, Any] | None]:
    """Return a function from a source to the row that was parsed from the same bytes in `earlier`, None if there is none."""

    @functools.cache
    def places() -> dict[tuple[str, ...], int]:
        found = earlier.select(_IDENTITY).table().to_pylist() if earlier is not None else []
        return {tuple(row.values()): place for place, row in enumerate(found)}

    def row_of(source: Mapping[str, Any]) -> dict[str, Any] | None:
        place = places().get(tuple(source[name] for name in _IDENTITY))
        row = earlier.rows(place, 1).to_pylist()[0] if earlier is not None and place is not None else None
        return row if row is not None and row["payload_json"] else None

    return row_of


def _window_progress(run: Run, before: int, total: int) -> Callable[[int], None]:
    """Return a progress callback for a window of a stage that is preceded by `before` documents."""

    def report(done: int) -> None:
        run.on_progress(before + done, total)

    return report

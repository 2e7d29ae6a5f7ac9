"""Assets of the group ingest: from a folder of files to parsed documents, their images and captions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import dagster as dg

from kohaku_assets.engines import make_describer, make_image_reader
from kohaku_assets.resources import AssetMaker
from kohaku_assets.stage_inputs import Inputs, StageOutput
from kohaku_assets.stages import STAGES
from kohaku_lib.documents import (
    DOCUMENT_ROW_CACHE_SCHEMA,
    IMAGE_TEXT_ROW_CACHE_SCHEMA,
    caption_images,
    image_parts,
    parse_documents,
)
from kohaku_lib.documents.registry import READY
from kohaku_lib.storage import StagePart, windows

# What is held at once: by the number of files or images, and by the bytes of the files.
FILES_AT_ONCE, BYTES_AT_ONCE, DOCUMENTS_AT_ONCE, IMAGES_AT_ONCE = 512, 24_000_000, 32, 256


def ingest_assets(make: AssetMaker) -> list[dg.AssetsDefinition]:
    """Return the assets of the group, bound to the project of `make`."""
    project, settings = make.project, make.settings

    def counted(before: int, total: int) -> Callable[[int], None]:
        """What tells the progress of a stage about a part of it, before which stand `before` documents."""
        return lambda done: project.on_progress(before + done, total)

    @make.asset("source_files", kinds={"file", "parquet"})
    def source_files(inputs: Inputs) -> StageOutput:
        """The manifest of the source folder: every file's content hash, document id and row of metadata.csv."""
        return project.user_files.sources

    @make.asset("documents", kinds={"python", "pymupdf"})
    def documents(inputs: Inputs) -> Iterator[StagePart]:
        """Parsed documents as payload trees; a document that fails is a row with its reason and stops no other."""
        sources, before = inputs["source_files"], 0
        total = sources["status"].to_pylist().count(READY)
        with project.row_cache(f"documents/{STAGES['documents'].code_tag}", DOCUMENT_ROW_CACHE_SCHEMA) as cache:
            for window in windows(sources, FILES_AT_ONCE, "size_bytes", BYTES_AT_ONCE):
                parsed, report = parse_documents(
                    window, settings.corpus, settings.documents, cache, settings.engine.workers, counted(before, total)
                )
                before += parsed.num_rows
                yield StagePart(parsed, report)

    @make.asset("document_images", kinds={"python", "pymupdf"})
    def document_images(inputs: Inputs) -> StageOutput:
        """Figures of the documents as WebP blobs with the caption printed beside them."""
        documents = inputs.open("documents")
        batches, on_done = documents.batches(DOCUMENTS_AT_ONCE), counted(0, documents.num_rows)
        return image_parts(batches, settings.corpus, settings.images, settings.engine.workers, inputs.donor, on_done)

    @make.asset("image_captions")
    def image_captions(inputs: Inputs) -> Iterator[StagePart]:
        """One caption per image that has any, printed, written within or by a vision model, ready to be searched."""
        with project.row_cache("image_captions", IMAGE_TEXT_ROW_CACHE_SCHEMA) as cache:
            describer, reader = make_describer(project), make_image_reader(project)
            for images in inputs.open("document_images").batches(IMAGES_AT_ONCE):
                yield StagePart(*caption_images(images, describer, reader, cache))

    return [source_files, documents, document_images, image_captions]

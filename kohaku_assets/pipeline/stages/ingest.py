"""Stages of the group ingest: from a folder of files to parsed documents, their images and captions."""

from __future__ import annotations

from collections.abc import Iterator

from kohaku_assets.pipeline.setting_keys import Implied, chat_keys, if_set, model_keys
from kohaku_assets.pipeline.stage import Stage
from kohaku_lib.documents.formats.interface import FORMATS
from kohaku_lib.documents.ocr import figure_setting_names, ocr_setting_names
from kohaku_lib.settings import Settings

_STEPS = "kohaku_assets.steps.ingest"


def documents_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect parsing."""
    yield from (f"documents.{name}" for kind in FORMATS for name in kind.settings_keys)
    yield from ("documents.time_limit_s", "documents.memory_limit_mb")
    if any(kind.reads_by_ocr for kind in FORMATS):
        yield from (f"documents.{name}" for name in ocr_setting_names(settings.documents))
    yield "corpus.org_id"
    yield from if_set(settings, "corpus.org_folders")


def caption_keys(settings: Settings) -> Iterator[str]:
    """Yield the settings that affect captions of figures."""
    yield "images.captions"
    yield from (f"documents.{name}" for name in figure_setting_names(settings.documents))
    yield Implied("documents.time_limit_s")  # of Tesseract; a figure that took longer is read again
    if settings.images.captions == "vision":
        yield from ("llm.provider", "images.caption_max_tokens")
        yield from model_keys(settings, "images.caption_model")
        yield from chat_keys(settings)


def caption_prompts(settings: Settings) -> Iterator[str]:
    """Yield the prompts that are sent for captions of figures."""
    if settings.images.captions == "vision":
        yield "image_caption"


INGEST = (
    Stage("source_files", "ingest", _STEPS, code_tag="5", reads_files=True, kinds=("file", "parquet")),
    Stage(
        "documents",
        "ingest",
        _STEPS,
        ("source_files",),
        documents_keys,
        code_tag="13",
        work="parse",
        kinds=("python", "pymupdf"),
    ),
    Stage(
        "document_images",
        "ingest",
        _STEPS,
        ("documents",),
        ("images.max_side_px", "images.quality"),
        code_tag="2",
        kinds=("python", "pymupdf"),
    ),
    Stage("image_captions", "ingest", _STEPS, ("document_images",), caption_keys, caption_prompts, code_tag="2"),
)

"""Settings of documents: where they lie, how they are fetched, read and cut into a tree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from kohaku_lib.settings.section import AtOnce, NonNegativeFloat, NonNegativeInt, PositiveInt, Seconds, Section, Share


class CorpusSettings(Section):
    """Where the material lies. The content behind a path changes results, the path does not."""

    documents: Path | None = Field(default=None, description="folder of documents, read recursively")
    metadata: Path | None = Field(default=None, description="CSV with id, type, title, year, citation, url")
    questions: Path | None = Field(default=None, description="CSV with id and question; truth in answer_value")
    org_id: str = Field(default="default", min_length=1, description="tenant that the documents belong to")
    follow_links: bool = Field(
        default=False, description="also read what links below the folder lead to, outside of it and in other folders"
    )
    use_citations: bool = Field(
        default=False, description="index rows of the metadata that have no file by their citation, else title, else id"
    )


class DocumentsSettings(Section):
    """How files become document payloads."""

    parser: Literal["auto", "blocks", "layout"] = Field(
        default="auto",
        description="PDF pages by lines and rules (blocks), also by PyMuPDF's layout model (layout: far slower), "
        "or so only where tables look wrong (auto)",
    )
    sections: Literal["headings", "pages"] = Field(
        default="headings", description="sections from headings, or one per page"
    )
    ocr: Literal["auto", "off", "rapidocr", "tesseract"] = Field(
        default="auto",
        description="reads images and pages without usable text; auto: rapidocr ([ocr] extra), else tesseract, else off",
    )
    ocr_language: str = Field(default="eng", pattern=r"^\w+(\+\w+)*$", description="tesseract's, as 'eng' or 'deu+fra'")
    ocr_dpi: Annotated[int, Field(ge=50, le=600)] = Field(default=300, description="resolution at which pages are read")
    ocr_confidence: Share = Field(default=0.6, description="what reads with less is read again, larger, then marked")
    ocr_retries: Annotated[int, Field(ge=0, le=2)] = Field(
        default=2, description="further readings of a doubtful image"
    )
    tiling: Literal["auto", "always", "off"] = Field(
        default="auto",
        description="read images over the threshold in overlapping tiles; auto: where their text is small",
    )
    tile_threshold: PositiveInt = Field(default=2048, description="side, in pixels, over which an image is tiled")
    tile_size: Annotated[int, Field(ge=64, le=2**16)] = Field(default=1024, description="side of a tile, in pixels")
    tile_overlap: NonNegativeInt = Field(default=128, description="pixels that neighbouring tiles share")
    max_tiles: PositiveInt = Field(default=16, description="tiles per image; beyond, they grow")
    merge_strategy: Literal["fuzzy", "concat", "vote"] = Field(
        default="fuzzy", description="lines of two tiles: keep the first, keep all, or keep the more confident tile's"
    )
    fuzzy_ratio: Share = Field(default=0.8, description="similarity from which two lines count as one")
    min_image_size: NonNegativeInt = Field(default=50, description="images with a shorter side, in pixels, are ignored")
    time_limit_s: Seconds = Field(
        default=300.0, description="seconds that parsing one file may take, with all its pages read by OCR"
    )
    memory_limit_mb: Annotated[int, Field(ge=256, le=2**24)] = Field(
        default=4096, description="memory that parsing one file may take, in MiB; 2048 more where OCR reads its pages"
    )


class ImagesSettings(Section):
    """How figures are stored and described."""

    max_side_px: PositiveInt = Field(
        default=1024, description="longer side of a stored image, in pixels; never enlarged"
    )
    quality: Annotated[int, Field(ge=1, le=100)] = Field(default=95, description="WebP quality")
    captions: Literal["page", "vision"] = Field(
        default="page",
        description="page: what is printed beside and within a figure; vision: also a model's description",
    )
    caption_model: str | None = Field(default=None, description="vision model of the captions; llm.model by default")
    caption_max_tokens: PositiveInt = Field(default=300, description="longest description, in tokens")
    caption_concurrent: AtOnce = Field(default=5, description="descriptions asked for at once")


class TreeSettings(Section):
    """How payloads become nodes."""

    view: Literal["hierarchy", "parent_child"] = Field(
        default="hierarchy",
        description="hierarchy: paragraphs and sentences as written; parent_child: chunks of about equal size, cut into "
        "chunks that overlap",
    )
    parent_tokens: PositiveInt = Field(default=1000, description="longest parent chunk, in estimated tokens")
    child_tokens: PositiveInt = Field(default=200, description="longest child chunk, in estimated tokens")
    child_overlap_tokens: NonNegativeInt = Field(
        default=50, description="what neighbouring child chunks share at most, in estimated tokens"
    )
    resegment: bool = Field(
        default=True,
        description="rebuild paragraphs and sentences where a paragraph is a whole page, and cut those that are longer",
    )
    sentence_splitter: Literal["guarded", "regex"] = Field(
        default="guarded", description="guarded survives 'et al.', 'Fig. 3'"
    )
    min_sentence_chars: NonNegativeInt = Field(
        default=20, description="shorter pieces join their neighbour (guarded only)"
    )
    id_base: Literal[0, 1] = Field(default=1, description="number of the first section, paragraph and sentence")
    id_scope: Literal["parent", "document"] = Field(
        default="parent", description="counters start anew per parent or per document"
    )


class FetchSettings(Section):
    """How the documents that metadata.csv names are fetched; changes no result."""

    max_concurrent: AtOnce = Field(default=8, description="documents fetched at once")
    per_host: AtOnce = Field(default=2, description="of these, from one host")
    retries: NonNegativeInt = Field(default=3, description="further attempts after 429, 5xx or a broken connection")
    retry_base_s: NonNegativeFloat = Field(default=1.0, description="first delay between attempts; doubles each time")
    timeout_s: Seconds = Field(
        default=120.0, description="seconds that one attempt may take, with all redirects and the whole file"
    )
    max_mb: PositiveInt = Field(default=200, description="largest file, in millions of bytes")
    allow_private: bool = Field(
        default=False, description="also fetch from this machine and its network; by default from public addresses only"
    )
    user_agent: str = Field(
        default="kohaku (document fetcher)", min_length=1, description="what servers are told; add an address for them"
    )

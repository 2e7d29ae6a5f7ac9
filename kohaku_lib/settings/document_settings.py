"""Settings of documents: location, fetching, parsing and splitting into a tree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from kohaku_lib.settings.section import AtOnce, NonNegativeInt, PositiveInt, RetryBaseSeconds, Seconds, Section, Share


class CorpusSettings(Section):
    """Where documents, metadata and questions are; results depend on their content, not on their paths."""

    documents: Path | None = Field(default=None, description="folder of documents, read recursively")
    metadata: Path | None = Field(default=None, description="CSV with id, type, title, year, citation, url")
    questions: Path | None = Field(default=None, description="CSV with id and question, and the truth in answer_value")
    org_id: str = Field(
        default="default",
        min_length=1,
        description="organisation that documents belong to where nothing else says, and whose questions are answered",
    )
    org_folders: bool = Field(
        default=False,
        description="the first folder below the documents names the organisation that its documents belong to; without it the "
        "column org_id of the metadata does",
    )
    accepted_questions: Path = Field(
        default=Path("accepted_questions.csv"),
        description="CSV of users' questions with the truth that 'kohaku review' accepted; beside kohaku.toml by default",
    )
    follow_links: bool = Field(
        default=False, description="follow symbolic links below the folder, also to targets outside of it"
    )
    missing_roots: Literal["keep", "delete"] = Field(
        default="keep",
        description="documents whose folder or link is gone, unreadable or empty as a whole: keep them until it is back, with a "
        "warning, or delete them",
    )
    use_citations: bool = Field(
        default=False, description="index metadata rows without a file by their citation, else title, else id"
    )


class DocumentsSettings(Section):
    """How files are read: pages of PDFs, OCR, and the limits for a file."""

    parser: Literal["auto", "blocks", "layout"] = Field(
        default="auto",
        description="PDF pages by lines and rules (blocks), also by PyMuPDF's layout model (layout: far slower), "
        "or by the model only if tables look wrong (auto)",
    )
    sections: Literal["headings", "pages"] = Field(
        default="headings", description="sections from headings, or one per page"
    )
    headers_footers: Literal["remove", "keep"] = Field(
        default="remove",
        description="running heads and feet, page numbers, line numbers and download stamps of pages: remove (kohaku parse "
        "lists them) or keep as text",
    )
    hidden_cells: Literal["remove", "keep"] = Field(
        default="remove",
        description="hidden sheets, rows and columns of workbooks: remove (kohaku parse lists them) or keep",
    )
    ocr: Literal["auto", "off", "rapidocr", "tesseract"] = Field(
        default="auto",
        description="OCR of images and of pages without usable text; auto: rapidocr ([ocr] extra), else tesseract, else off",
    )
    ocr_language: str = Field(
        default="eng", pattern=r"^\w+(\+\w+)*$", description="language of tesseract, such as 'eng' or 'deu+fra'"
    )
    ocr_dpi: Annotated[int, Field(ge=50, le=600)] = Field(default=300, description="resolution of pages for OCR")
    ocr_confidence: Share = Field(
        default=0.6, description="below it, text is read again at a larger scale, then marked"
    )
    ocr_retries: Annotated[int, Field(ge=0, le=2)] = Field(
        default=2, description="retries of an image below the confidence"
    )
    tiling: Literal["auto", "always", "off"] = Field(
        default="auto",
        description="read images over the threshold in overlapping tiles; auto: only if their text is small",
    )
    tile_threshold: PositiveInt = Field(default=2048, description="side, in pixels, above which an image is tiled")
    tile_size: Annotated[int, Field(ge=64, le=2**16)] = Field(default=1024, description="side of a tile, in pixels")
    tile_overlap: NonNegativeInt = Field(default=128, description="overlap of neighbouring tiles, in pixels")
    max_tiles: PositiveInt = Field(default=16, description="maximum of tiles per image; larger images get larger tiles")
    merge_strategy: Literal["fuzzy", "last_ten", "concat", "vote"] = Field(
        default="fuzzy",
        description="how lines that two overlapping tiles both hold are joined. fuzzy: the first of similar lines in one "
        "place; vote: that of the more confident tile; last_ten: as fuzzy, but compared with the ten lines kept "
        "last, wherever they stand; concat: all lines stay",
    )
    fuzzy_ratio: Share = Field(default=0.8, description="similarity at which two lines count as one")
    min_image_size: NonNegativeInt = Field(default=50, description="images with a shorter side, in pixels, are ignored")
    time_limit_s: Seconds = Field(
        default=300.0, description="time limit of parsing one file, OCR of all pages included, in seconds"
    )
    memory_limit_mb: Annotated[int, Field(ge=256, le=2**24)] = Field(
        default=4096, description="memory limit of parsing one file, in MiB; plus 2048 with OCR"
    )


class ImagesSettings(Section):
    """How figures are stored and captioned."""

    max_side_px: PositiveInt = Field(
        default=1024, description="longer side of a stored image, in pixels; never enlarged"
    )
    quality: Annotated[int, Field(ge=1, le=100)] = Field(default=95, description="WebP quality")
    captions: Literal["off", "page", "vision"] = Field(
        default="page",
        description="page: text printed beside and within a figure; vision: also a model's description; off: none",
    )
    caption_model: str | None = Field(default=None, description="vision model of the captions; llm.model by default")
    caption_max_tokens: PositiveInt = Field(default=300, description="longest description, in tokens")
    caption_concurrent: AtOnce = Field(default=5, description="concurrent requests for descriptions")


class TreeSettings(Section):
    """How a document is cut into sections, paragraphs and sentences."""

    view: Literal["hierarchy", "parent_child"] = Field(
        default="hierarchy",
        description="hierarchy: paragraphs and sentences as written; parent_child: chunks of about equal size, split into "
        "overlapping chunks",
    )
    parent_tokens: PositiveInt = Field(default=1000, description="longest parent chunk, in estimated tokens")
    child_tokens: PositiveInt = Field(default=200, description="longest child chunk, in estimated tokens")
    child_overlap_tokens: NonNegativeInt = Field(
        default=50, description="maximum overlap of neighbouring child chunks, in estimated tokens"
    )
    resegment: bool = Field(
        default=True,
        description="rebuild paragraphs and sentences if a paragraph is a whole page, and split longer ones",
    )
    parent_texts: Literal["joined", "payload"] = Field(
        default="joined",
        description="text of sections and documents. joined: a section has its title and paragraphs, a document its title and "
        "those of its sections; payload: a section has its title, a document its whole text, as in KohakuRAG",
    )
    search_placeholders: bool = Field(
        default=False, description="search figures without a caption by their placeholder text, as in KohakuRAG"
    )
    sentence_splitter: Literal["guarded", "regex"] = Field(
        default="guarded", description="guarded does not split at 'et al.' or 'Fig. 3'"
    )
    min_sentence_chars: NonNegativeInt = Field(
        default=20, description="shorter sentences are merged with a neighbour (guarded only)"
    )
    id_base: Literal[0, 1] = Field(default=1, description="number of the first section, paragraph and sentence")
    id_scope: Literal["parent", "document"] = Field(
        default="parent", description="counters restart per parent or per document"
    )


class FetchSettings(Section):
    """How the documents listed in metadata.csv are downloaded; does not affect results."""

    max_concurrent: AtOnce = Field(default=8, description="concurrent downloads")
    per_host: AtOnce = Field(default=2, description="concurrent downloads from one host")
    retries: NonNegativeInt = Field(default=3, description="further attempts after 429, 5xx or a broken connection")
    retry_base_s: RetryBaseSeconds = 1.0
    timeout_s: Seconds = Field(
        default=120.0, description="time limit of one attempt, including redirects and the whole file, in seconds"
    )
    max_mb: PositiveInt = Field(default=200, description="largest file, in millions of bytes")
    allow_private: bool = Field(
        default=False, description="allow downloads from this machine and its network; by default public addresses only"
    )
    user_agent: str = Field(
        default="kohaku (document fetcher)", min_length=1, description="User-Agent header; add a contact address"
    )

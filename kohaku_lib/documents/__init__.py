"""Parse source files into document payloads: corpus registry, parsers, images and captions."""

from kohaku_lib.documents.corpus.csv_rows import read_rows
from kohaku_lib.documents.corpus.document_states import DocumentState, count_states, document_states
from kohaku_lib.documents.corpus.files import CorpusFiles, corpus_files
from kohaku_lib.documents.corpus.metadata import MetadataTable, read_metadata
from kohaku_lib.documents.corpus.payload_ids import PayloadIds
from kohaku_lib.documents.corpus.registry import files_by_metadata_id, list_sources
from kohaku_lib.documents.failures import NeedsOcrError
from kohaku_lib.documents.fetch.download import http_client
from kohaku_lib.documents.fetch.fetch import FetchPlan, fetch_documents
from kohaku_lib.documents.fetch.ledger import FetchLedger, FetchOutcome
from kohaku_lib.documents.figures.caption_images import caption_images
from kohaku_lib.documents.figures.extract_images import extract_images, image_parts
from kohaku_lib.documents.figures.image_ocr import OcrDescriber
from kohaku_lib.documents.figures.image_texts import IMAGE_TEXT_ROW_CACHE_SCHEMA, Describer
from kohaku_lib.documents.figures.vision import VisionDescriber
from kohaku_lib.documents.identifiers import image_storage_key, safe_document_id
from kohaku_lib.documents.markdown_export import payload_to_markdown
from kohaku_lib.documents.parse_documents import (
    DOCUMENT_ROW_CACHE_SCHEMA,
    PARSER_TAG,
    parse_documents,
)
from kohaku_lib.documents.parse_file import parse_file
from kohaku_lib.documents.parse_paths import ParseOutcome, parse_paths
from kohaku_lib.documents.payloads import payload_from_json, payload_to_json

__all__ = [
    "DOCUMENT_ROW_CACHE_SCHEMA",
    "IMAGE_TEXT_ROW_CACHE_SCHEMA",
    "PARSER_TAG",
    "CorpusFiles",
    "Describer",
    "DocumentState",
    "FetchLedger",
    "FetchOutcome",
    "FetchPlan",
    "MetadataTable",
    "NeedsOcrError",
    "OcrDescriber",
    "ParseOutcome",
    "PayloadIds",
    "VisionDescriber",
    "caption_images",
    "corpus_files",
    "count_states",
    "document_states",
    "extract_images",
    "fetch_documents",
    "files_by_metadata_id",
    "http_client",
    "image_parts",
    "image_storage_key",
    "list_sources",
    "parse_documents",
    "parse_file",
    "parse_paths",
    "payload_from_json",
    "payload_to_json",
    "payload_to_markdown",
    "read_metadata",
    "read_rows",
    "safe_document_id",
]

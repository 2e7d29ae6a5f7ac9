"""The models used while an index is built: figure describer, OCR reader, entity extractor."""

from __future__ import annotations

from typing import Literal

from kohaku_assets.pipeline.effective_values import graph_extractor
from kohaku_lib.documents import OcrDescriber, VisionDescriber
from kohaku_lib.documents.ocr import open_engine
from kohaku_lib.embedding import EMBEDDING_CACHE_SCHEMA, model_key
from kohaku_lib.index.graph import ChatExtractor, GraphPrompt
from kohaku_lib.index.graph.chat import ATTEMPTS
from kohaku_lib.index.summaries import ChatSummariser, ExtractiveSummariser, Summariser
from kohaku_lib.project.chat_models import ledgered_chat
from kohaku_lib.project.session import Session
from kohaku_lib.settings import DocumentsSettings
from kohaku_lib.storage import RowCache


def make_describer(session: Session) -> VisionDescriber | None:
    """Return the figure describer based on a vision model; None if the settings select no such model."""
    settings = session.settings
    if settings.images.captions != "vision":
        return None
    llm = settings.llm.model_copy(update={"max_concurrent": settings.images.caption_concurrent})
    chat = ledgered_chat(session, llm)
    return VisionDescriber(chat, settings.images.caption_model or llm.model, settings.images) if chat else None


def make_image_reader(documents: DocumentsSettings) -> OcrDescriber | None:
    """Return the OCR reader of text in figures; None if no OCR engine is available."""
    engine = open_engine(documents)
    return OcrDescriber(engine, documents) if engine is not None else None


def vector_cache(session: Session) -> RowCache:
    """Return the cache of the vectors of texts by the embedding model."""
    return session.row_cache(f"embeddings/{model_key(session.settings.embedding)}", EMBEDDING_CACHE_SCHEMA)


def make_summariser(session: Session, section: Literal["raptor", "lightrag"], stage: str) -> Summariser:
    """Return what writes the summaries of `stage`: a chat model, or nearness to the centroid."""
    settings = session.settings
    own = getattr(settings, section)
    chat = None
    if own.summariser == "chat":
        chat = ledgered_chat(session, settings.llm.model_copy(update={"max_concurrent": own.max_concurrent}))
    if chat is None:
        return ExtractiveSummariser(own.summary_tokens)
    return ChatSummariser(chat, own.model or settings.llm.model, own.summary_tokens, stage, own.max_concurrent)


def make_extractor(session: Session, cache: RowCache) -> ChatExtractor | None:
    """Return the entity extractor based on a chat model; None if only the rules extract entities."""
    settings = session.settings
    if graph_extractor(settings) != "chat":
        return None
    llm = settings.llm.model_copy(update={"max_concurrent": settings.graph.max_concurrent})
    chat, prompt = ledgered_chat(session, llm), GraphPrompt(settings.graph.model or llm.model, settings.graph)
    delays_s = [settings.llm.retry_base_s * settings.llm.retry_factor**attempt for attempt in range(ATTEMPTS - 1)]
    return ChatExtractor(chat, prompt, cache, settings.graph.max_concurrent, delays_s) if chat else None

"""Chat models that read documents while an index is built: describer of figures, extractor of entities."""

from __future__ import annotations

from kohaku_assets.pipeline.stages import graph_extractor
from kohaku_lib.documents import VisionDescriber
from kohaku_lib.index.graph import ChatExtractor, GraphPrompt
from kohaku_lib.service.chat_models import ledgered_chat
from kohaku_lib.service.session import Session
from kohaku_lib.storage import RowCache


def make_describer(session: Session) -> VisionDescriber | None:
    """Return what describes figures by a vision model; None where the settings choose no such model."""
    settings = session.settings
    if settings.images.captions != "vision":
        return None
    llm = settings.llm.model_copy(update={"max_concurrent": settings.images.caption_concurrent})
    chat = ledgered_chat(session, llm)
    return VisionDescriber(chat, settings.images.caption_model or llm.model, settings.images) if chat else None


def make_extractor(session: Session, cache: RowCache) -> ChatExtractor | None:
    """Return what reads paragraphs for entities by a chat model; None where the rules alone find them."""
    settings = session.settings
    if graph_extractor(settings) != "chat":
        return None
    llm = settings.llm.model_copy(update={"max_concurrent": settings.graph.max_concurrent})
    chat, prompt = ledgered_chat(session, llm), GraphPrompt(settings.graph.model or llm.model, settings.graph)
    return ChatExtractor(chat, prompt, cache, settings.graph.max_concurrent) if chat else None

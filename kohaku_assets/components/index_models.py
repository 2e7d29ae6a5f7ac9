"""The models used while an index is built: figure describer, OCR reader, entity extractor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal

from kohaku_assets.pipeline.effective_values import graph_extractor
from kohaku_lib.answering.answer_on_actors import divide_limits
from kohaku_lib.documents import OcrDescriber, VisionDescriber
from kohaku_lib.documents.figures.image_texts import Described, GuardedDescriber
from kohaku_lib.documents.ocr import open_engine
from kohaku_lib.embedding import EMBEDDING_CACHE_SCHEMA, model_key
from kohaku_lib.index.graph import ChatExtractor, GraphPrompt
from kohaku_lib.index.graph.chat import ATTEMPTS, Asked, Chunk
from kohaku_lib.index.summaries import ChatSummariser, ExtractiveSummariser, Summariser
from kohaku_lib.parallel import ActorCrew
from kohaku_lib.project.chat_models import ledgered_chat
from kohaku_lib.project.keys_file import load_keys
from kohaku_lib.project.session import Session
from kohaku_lib.settings import ParallelSettings, Settings
from kohaku_lib.storage import RowCache


def make_describer(session: Session) -> VisionDescriber | None:
    """Return the figure describer based on a vision model; None if the settings select no such model."""
    settings = session.settings
    if settings.images.captions != "vision":
        return None
    llm = settings.llm.model_copy(update={"max_concurrent": settings.images.caption_concurrent})
    chat = ledgered_chat(session, llm)
    if chat is None:
        return None
    crew = _crew(session, _describe_by_model, "images", "caption_concurrent")
    return VisionDescriber(chat, settings.images.caption_model or llm.model, settings.images, crew)


def make_image_reader(session: Session) -> OcrDescriber | None:
    """Return the OCR reader of text in figures; None if no OCR engine is available."""
    engine, documents = open_engine(session.settings.documents), session.settings.documents
    return OcrDescriber(engine, documents, _crew(session, _describe_by_ocr)) if engine is not None else None


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


def make_extractor(session: Session, cache: RowCache | None = None) -> ChatExtractor | None:
    """Return the entity extractor based on a chat model; None if only the rules extract entities."""
    settings = session.settings
    if graph_extractor(settings) != "chat":
        return None
    llm = settings.llm.model_copy(update={"max_concurrent": settings.graph.max_concurrent})
    chat, prompt = ledgered_chat(session, llm), GraphPrompt(settings.graph.model or llm.model, settings.graph)
    delays_s = [settings.llm.retry_base_s * settings.llm.retry_factor**attempt for attempt in range(ATTEMPTS - 1)]
    if chat is None:
        return None
    crew = _crew(session, _ask_for_entities, "graph", "max_concurrent")
    return ChatExtractor(chat, prompt, cache, settings.graph.max_concurrent, delays_s, crew)


def _crew(
    session: Session, make: Callable[[Session], Callable[[Any], Any]], section: str = "", limit: str = ""
) -> ActorCrew[Any, Any] | None:
    """Return the actors that apply what `make` makes if parallel.kind is "ray"; else None.

    They share the limits of calls, and that of the calls in flight, the setting `limit` of a section. Without one each does
    one thing at a time.
    """
    settings = session.settings
    if settings.parallel.kind != "ray" or session.is_dry:
        return None

    def plan(actors: int) -> tuple[Callable[[], Callable[[Any], Any]], int]:
        share, at_once = divide_limits(settings, actors), 1
        if section:
            own = getattr(settings, section)
            at_once = max(1, getattr(own, limit) // actors)
            share = share.model_copy(update={section: own.model_copy(update={limit: at_once})})
        share = share.model_copy(update={"parallel": ParallelSettings()})
        return partial(_make_there, make, session.home, share), at_once

    return ActorCrew(plan, settings.parallel.workers)


def _make_there(
    make: Callable[[Session], Callable[[Any], Any]], home: Path | None, settings: Settings
) -> Callable[[Any], Any]:
    if home is not None:
        load_keys(home)
    return make(Session(settings, home))


def _describe_by_model(session: Session) -> Callable[[Mapping[str, Any]], Described]:
    describer = make_describer(session)
    assert describer is not None
    return GuardedDescriber(describer).describe


def _describe_by_ocr(session: Session) -> Callable[[Mapping[str, Any]], Described]:
    reader = make_image_reader(session)
    assert reader is not None
    return GuardedDescriber(reader).describe


def _ask_for_entities(session: Session) -> Callable[[Chunk], Asked]:
    extractor = make_extractor(session)
    assert extractor is not None
    return extractor.ask

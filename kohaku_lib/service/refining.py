"""The refiner of rankings by the settings of a run: rerankers, their cache, the chat model that verifies."""

from __future__ import annotations

from collections.abc import Callable

from kohaku_lib.llm import ChatModel, Environment, plain_chat
from kohaku_lib.retrieval import Refiner
from kohaku_lib.retrieval.refine.safety import conformal_threshold
from kohaku_lib.retrieval.rerank import (
    RERANK_CACHE_SCHEMA,
    RerankDependencies,
    asks_chat,
    build_rerankers,
    read_calibration,
)
from kohaku_lib.service.session import Session


def make_refiner(session: Session, make_chat: Callable[[], ChatModel | None]) -> Refiner:
    """Return what refines rankings as the settings say; the chat model is made only where it is asked.

    Raises ModelError where a key is missing, InputFileError where the calibration cannot be read.
    """
    settings, rerank = session.settings, session.settings.rerank
    chat = make_chat() if asks_chat(rerank, has_chat=True) else None
    dependencies = RerankDependencies(
        chat=chat,
        chat_model=settings.llm.model,
        cache=session.row_cache("rerank", RERANK_CACHE_SCHEMA) if rerank.kind != "off" else None,
        device=settings.embedding.device,
        environment=Environment(needs_key=not session.is_dry),
        embedding=settings.embedding,
    )
    calibration = read_calibration(rerank.conformal) if rerank.conformal else {}
    return Refiner(
        rerank,
        build_rerankers(rerank, dependencies),
        plain_chat(chat, settings.llm, "verify", model=rerank.chat_model) if chat else None,
        {name: conformal_threshold(scores, rerank.conformal_error) for name, scores in calibration.items()},
    )

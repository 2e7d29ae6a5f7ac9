"""The refiner of rankings by the settings of a run: rerankers, their cache, the chat model that verifies."""

from __future__ import annotations

from collections.abc import Callable

from kohaku_assets.pipeline.rerank_keys import asks_chat
from kohaku_assets.pipeline.run import Run
from kohaku_lib.llm import ChatModel, Environment, plain_chat
from kohaku_lib.retrieval import Refiner
from kohaku_lib.retrieval.refine.safety import conformal_threshold
from kohaku_lib.retrieval.rerank import RERANK_CACHE_SCHEMA, RerankDependencies, build_rerankers, read_calibration


def make_refiner(run: Run, make_chat: Callable[[], ChatModel | None]) -> Refiner:
    """Return what refines rankings as the settings say; the chat model is made only where it is asked.

    Raises ModelError where a key is missing, InputFileError where the calibration cannot be read.
    """
    settings, rerank = run.settings, run.settings.rerank
    chat = make_chat() if asks_chat(settings, has_chat=True) else None
    dependencies = RerankDependencies(
        chat=chat,
        chat_model=settings.llm.model,
        cache=run.row_cache("rerank", RERANK_CACHE_SCHEMA) if rerank.kind != "off" else None,
        device=settings.embedding.device,
        environment=Environment(needs_key=not run.is_dry),
        embedding=settings.embedding,
    )
    calibration = read_calibration(rerank.conformal) if rerank.conformal else {}
    return Refiner(
        rerank,
        build_rerankers(rerank, dependencies),
        plain_chat(chat, settings.llm, "verify", model=rerank.chat_model) if chat else None,
        {name: conformal_threshold(scores, rerank.conformal_error) for name, scores in calibration.items()},
    )

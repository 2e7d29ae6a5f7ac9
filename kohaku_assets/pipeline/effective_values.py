"""Settings whose effective value differs from their text: paths count by content, kinds by what they come to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kohaku_lib.answering.replay import recorded_content
from kohaku_lib.digests import file_sha256
from kohaku_lib.documents.ocr import engine_identity
from kohaku_lib.embedding.model_folder import model_identity, model_kind
from kohaku_lib.retrieval.rerank import RERANKERS, chosen_kinds
from kohaku_lib.settings import Settings


def _embedding_model(settings: Settings) -> str:
    """The model name; for a folder its content, independent of its path."""
    name = settings.embedding.model
    return model_identity(name) if model_kind(name) == "folder" else name


def _fallback_model(settings: Settings) -> str:
    return settings.llm.fallback.model or settings.llm.model


def planner_kind(settings: Settings) -> str:
    """Return what plans queries under `settings`: "chat" or "rule"."""
    return "chat" if settings.planner.kind != "rule" and settings.uses_chat else "rule"


def graph_extractor(settings: Settings) -> str:
    """Return the entity extractor under `settings`: "chat" (in addition to the rules) or "rule"."""
    wants_chat = settings.graph.enabled and settings.graph.extractor != "rule"
    return "chat" if wants_chat and settings.uses_chat else "rule"


def has_short_prompt(settings: Settings) -> bool:
    """Return whether the chat model is told the short rules."""
    return settings.answer.has_short_prompt(settings.llm.facts())


def _reranker_names(settings: Settings) -> list[str]:
    return list(reranker_kinds(settings, has_chat=settings.uses_chat))


EFFECTIVE: dict[str, Callable[[Settings], Any]] = {
    "embedding.model": _embedding_model,
    "planner.kind": planner_kind,
    "graph.extractor": graph_extractor,
    "rerank.kind": _reranker_names,
    "llm.fallback.model": _fallback_model,
    "llm.models": lambda settings: (  # values go by the window alone
        settings.llm.facts().model_dump() if settings.answer.form == "text" else settings.llm.facts().context_window
    ),
    "answer.prompt": lambda settings: "short" if has_short_prompt(settings) else "full",
    "documents.ocr": lambda settings: engine_identity(settings.documents.ocr),
    "answer.form": lambda settings: "text" if settings.answer.form == "text" else "value",
    "answer.by": lambda settings: "checked" if settings.is_checked else settings.answerer,
    "replay.runs": recorded_content,
}


def _calibration_hash(settings: Settings) -> str | None:
    """The content hash of the calibration file, independent of its path."""
    path = settings.rerank.conformal
    if path is None:
        return None
    return file_sha256(path) if path.is_file() else "missing"


def rerank_identities() -> dict[str, Callable[[Settings], Any]]:
    """Return, by setting key, the function that resolves a path or name to what the result depends on."""
    identity_by_key: dict[str, Callable[[Settings], Any]] = {"rerank.conformal": _calibration_hash}
    for kind in RERANKERS:
        identity_by_key |= kind.identities
    return identity_by_key


def reranker_kinds(settings: Settings, *, has_chat: bool) -> Sequence[str]:
    """Return the kinds of rerankers to try, in order."""
    return chosen_kinds(settings.rerank, has_chat=has_chat)

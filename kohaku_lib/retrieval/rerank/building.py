"""The rerankers that the settings ask for, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kohaku_lib.digests import digest
from kohaku_lib.embedding import model_key
from kohaku_lib.embedding.model_folder import model_identity
from kohaku_lib.errors import ModelError
from kohaku_lib.llm import ChatModel, Environment
from kohaku_lib.retrieval.rerank.cached import CachedReranker
from kohaku_lib.retrieval.rerank.chat_reranker import ChatReranker
from kohaku_lib.retrieval.rerank.cross_encoder import CrossEncoderReranker
from kohaku_lib.retrieval.rerank.likeness import LIKENESS_TAG, SHARE, likeness_reranker
from kohaku_lib.retrieval.rerank.port import Reranker
from kohaku_lib.retrieval.rerank.served import ServedReranker
from kohaku_lib.settings import EmbeddingSettings, RerankSettings
from kohaku_lib.storage import RowCache


@dataclass(frozen=True, slots=True)
class Means:
    """What rerankers are made with: a chat model and its name, a cache of scores, a device; None where there is none."""

    chat: ChatModel | None = None
    chat_model: str = ""
    cache: RowCache | None = None
    device: str = "auto"
    environment: Environment | None = None
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)


def build_rerankers(settings: RerankSettings, means: Means) -> list[Reranker]:
    """Return the rerankers that `settings.kind` names, those that are tried first first; none where it is "off".

    "auto" means the server, the chat model and the local model, as far as they are set up. Raises ModelError where
    the one that is named lacks its model or key.

    >>> build_rerankers(RerankSettings(), Means())
    []
    """
    return [_BUILDERS[kind](settings, means) for kind in chosen_kinds(settings, has_chat=means.chat is not None)]


def chosen_kinds(settings: RerankSettings, *, has_chat: bool) -> Sequence[str]:
    """Return the kinds of rerankers in the order in which they are tried.

    >>> chosen_kinds(RerankSettings(kind="auto", local_model="models/tiny"), has_chat=True)
    ['chat', 'local']
    """
    if settings.kind != "auto":
        return [] if settings.kind == "off" else [settings.kind]
    is_set_up = {
        "served": bool(settings.base_url and settings.served_model),
        "chat": has_chat,
        "local": settings.local_model is not None,
    }
    return [kind for kind, ready in is_set_up.items() if ready]


def rerank_share(settings: RerankSettings) -> float:
    """Return the share of a rerank score beside that of the ranking, which is `settings.weight` where it is set.

    Otherwise "likeness", which leaves out what the ranking knows, gets the share it was measured with, and any other
    reranker the whole.

    >>> rerank_share(RerankSettings(kind="local", local_model="models/tiny")), rerank_share(RerankSettings(weight=0.5))
    (1.0, 0.5)
    """
    if settings.weight is not None:
        return settings.weight
    return SHARE if settings.kind == "likeness" else 1.0


def _served(settings: RerankSettings, means: Means) -> Reranker:
    reranker = ServedReranker(settings, means.environment)
    return _cached(reranker, means, digest(["served", settings.served_model, settings.logits]))


def _chat(settings: RerankSettings, means: Means) -> Reranker:
    if means.chat is None:
        msg = "rerank.kind = 'chat' needs a chat model; set llm.provider to 'openai' or 'openrouter', or rerank.kind"
        raise ModelError(msg)
    return ChatReranker(means.chat, settings.chat_model or means.chat_model, settings.max_concurrent)


def _local(settings: RerankSettings, means: Means) -> Reranker:
    if settings.local_model is None:
        msg = "rerank.kind = 'local' needs rerank.local_model, a folder or a name on the Hugging Face hub"
        raise ModelError(msg)
    reranker = CrossEncoderReranker(settings.local_model, means.device)
    try:
        return _cached(reranker, means, digest(["local", model_identity(settings.local_model)]))
    except ModelError:
        return reranker  # the model is not at hand: it says so when it is asked


def _likeness(settings: RerankSettings, means: Means) -> Reranker:
    reranker = likeness_reranker(means.embedding)
    try:
        return _cached(reranker, means, digest([LIKENESS_TAG, model_key(means.embedding), means.embedding.dim]))
    except ModelError:
        return reranker  # the model is not at hand: it says so when it is asked


def _cached(reranker: Reranker, means: Means, identity: str) -> Reranker:
    return reranker if means.cache is None else CachedReranker(reranker, means.cache, identity)


_BUILDERS: dict[str, Callable[[RerankSettings, Means], Reranker]] = {
    "served": _served,
    "chat": _chat,
    "local": _local,
    "likeness": _likeness,
}

"""Builds the rerankers selected by the settings, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

from kohaku_lib.retrieval.rerank.interface import RERANKERS, RerankDependencies, Reranker, RerankerKind
from kohaku_lib.settings import RerankSettings


def build_rerankers(settings: RerankSettings, dependencies: RerankDependencies) -> list[Reranker]:
    """Return the rerankers selected by `settings.kind`, in the order in which they are tried.

    Returns:
        An empty list for "off"; for "auto" the server, the chat model and the local model, as far as configured.

    Raises:
        ModelError: The selected reranker lacks its model or key.

    Example:
        >>> build_rerankers(RerankSettings(), RerankDependencies())
        []

    """
    kinds = chosen_kinds(settings, has_chat=dependencies.chat is not None)
    return [build_one(RERANKERS.get(kind), settings, dependencies) for kind in kinds]


def build_one(kind: RerankerKind, settings: RerankSettings, dependencies: RerankDependencies) -> Reranker:
    """Build a reranker with its own section; settings that no project was composed of have the defaults of that.

    Raises:
        ModelError: It lacks its model or key.

    """
    own = getattr(settings.options, kind.name, kind.options() if kind.options is not None else None)
    return kind.build(settings, replace(dependencies, options=own))


def chosen_kinds(settings: RerankSettings, *, has_chat: bool) -> Sequence[str]:
    """Return the kinds of rerankers in the order in which they are tried.

    Example:
        >>> chosen_kinds(RerankSettings(kind="auto", local_model="models/tiny"), has_chat=True)
        ['chat', 'local']

    """
    if settings.kind != "auto":
        return [] if settings.kind == "off" else [settings.kind]
    return [kind.name for kind in RERANKERS if kind.in_auto and _is_set_up(kind, settings, has_chat)]


def asks_chat(settings: RerankSettings, *, has_chat: bool) -> bool:
    """Return whether a chat model judges or grades snippets; `has_chat` is whether there is one."""
    verifies = settings.verify in ("standard", "thorough")
    return verifies or any(RERANKERS.get(kind).uses_chat for kind in chosen_kinds(settings, has_chat=has_chat))


def rerank_share(settings: RerankSettings) -> float:
    """Return the weight of the rerank score in the order of snippets; the rest is that of the ranking score.

    Example:
        >>> rerank_share(RerankSettings(kind="local", local_model="models/tiny"))
        1.0
        >>> rerank_share(RerankSettings(weight=0.5))
        0.5

    """
    if settings.weight is not None:
        return settings.weight
    return RERANKERS.get(settings.kind).weight if settings.kind in RERANKERS else 1.0


def _is_set_up(kind: RerankerKind, settings: RerankSettings, has_chat: bool) -> bool:
    needed = (attrgetter(key.removeprefix("rerank."))(settings) for key in kind.needs)
    return all(needed) and (has_chat or not kind.uses_chat)

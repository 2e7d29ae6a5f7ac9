"""The dependencies of refinement: settings, rerankers and chat model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kohaku_lib.retrieval.rerank import Reranker
from kohaku_lib.settings import RerankSettings


@dataclass(frozen=True, slots=True)
class RefinementQuestion:
    """The question of a ranking."""

    id: str
    text: str
    vector: np.ndarray | None = None  # (dim,), L2-normalised; None if not available
    depth: int = 1  # multiplies the number of examined snippets


@dataclass(frozen=True, slots=True)
class RefineDependencies:
    """The settings, the rerankers in the order in which they are tried, and the chat model for verification."""

    settings: RerankSettings = field(default_factory=RerankSettings)
    rerankers: Sequence[Reranker] = ()
    chat: Callable[[str, str, str], str] | None = None  # (system prompt, user prompt, question id) -> reply
    conformal_thresholds: Mapping[str, float] = field(default_factory=dict)  # minimum score by reranker name

    @property
    def looks_at_snippets(self) -> bool:
        """Whether any step needs more than the scores of the ranking."""
        settings = self.settings
        is_on = settings.semantic_dedup is not None or settings.verify != "none" or settings.mmr is not None
        return is_on or settings.top_k is not None or bool(self.rerankers)

    @property
    def admits_unseen(self) -> bool:
        """Whether a snippet that no step examined may enter a context: not if others had to pass a threshold or a cut."""
        settings = self.settings
        tests = (settings.safety_threshold, settings.denoise_alpha, settings.conformal, settings.top_k)
        return settings.verify == "none" and not settings.score_gap and all(test is None for test in tests)

    @property
    def workers(self) -> int:
        """The number of questions refined concurrently: more than one only if servers or models are called."""
        calls_others = bool(self.rerankers) or self.settings.verify in ("standard", "thorough")
        return self.settings.max_concurrent if calls_others else 1

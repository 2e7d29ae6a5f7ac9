"""The contract of rerankers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from kohaku_lib.retrieval.rerank import RerankDependencies, Reranker, RerankerKind
from kohaku_lib.retrieval.rerank.building import build_one
from kohaku_lib.settings import RerankSettings, leaf_fields

QUERY = "How much water did the vineyard use in 2023?"
TEXTS = (
    "The vineyard used 4,100 m³ of water in 2023.",
    "Water is scarce in the valley.",
    "The museum opens at nine.",
    "",
)
_SAME = 1e-5  # models compute in batches of other shapes


def check_reranker(
    kind: RerankerKind, settings: RerankSettings | None = None, dependencies: RerankDependencies | None = None
) -> None:
    """Fail where `kind` breaks the contract of rerankers.

    A text has a score from 0 to 1 or None, whatever the other texts, their order and other threads. Its settings are
    known, and those of its own have defaults.

    Args:
        kind: The kind to check.
        settings: Settings under which it works; by default they name the kind alone.
        dependencies: What it needs, such as a chat model.

    Example:
        >>> from kohaku_lib.retrieval.rerank import RERANKERS
        >>> check_reranker(RERANKERS.get("embedding_similarity"))

    """
    _check_settings(kind)
    settings = settings or RerankSettings(kind=kind.name)
    reranker = build_one(kind, settings, dependencies or RerankDependencies())
    assert reranker.name, f"the reranker {kind.name!r} must have a name for the trace"
    scores = _scores(reranker, TEXTS)
    assert any(score is not None for score in scores), f"{reranker.name!r} scored none of {len(TEXTS)} texts"
    for score in scores:
        assert score is None or 0.0 <= score <= 1.0, f"a score of {reranker.name!r} must be from 0 to 1, got {score!r}"
    assert _scores(reranker, ()) == [], f"{reranker.name!r} must give no score where there is no text"
    backwards = _scores(reranker, TEXTS[::-1])[::-1]
    alone = [_scores(reranker, (text,))[0] for text in TEXTS]
    with ThreadPoolExecutor(4) as threads:
        at_once = list(threads.map(lambda _: _scores(reranker, TEXTS), range(4)))
    for found, how in [(backwards, "in another order"), (alone, "alone"), *((one, "in a thread") for one in at_once)]:
        assert _are_same(found, scores), f"{reranker.name!r} scores the same texts {how} {found}, but {scores}"


def _check_settings(kind: RerankerKind) -> None:
    known = {*leaf_fields(), *(key for key in kind.settings_keys if key.startswith(f"rerank.options.{kind.name}."))}
    unknown = {*kind.settings_keys, *kind.needs, *kind.identities} - known
    assert not unknown, f"the reranker {kind.name!r} names settings that there are not: {sorted(unknown)}"
    if kind.options is not None:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", kind.name), (
            f"{kind.name!r} must be a name of small letters, digits and _"
        )
        assert kind.options() == kind.options(), "the settings of its own must have defaults"


def _scores(reranker: Reranker, texts: Sequence[str]) -> list[float | None]:
    scores = list(reranker.scores(QUERY, texts, "q1"))
    assert len(scores) == len(texts), f"{reranker.name!r} must give {len(texts)} scores, got {len(scores)}"
    return scores


def _are_same(found: Sequence[float | None], expected: Sequence[float | None]) -> bool:
    pairs = zip(found, expected, strict=True)
    return all(a is b if a is None or b is None else abs(a - b) <= _SAME for a, b in pairs)

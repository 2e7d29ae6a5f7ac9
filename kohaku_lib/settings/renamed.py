"""The settings that had another name once, or are gone: a file that says one is told so, and stored versions keep the first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

RENAMED = {
    "answer.wrong_cost": "answer.wrong_answer_penalty",
    "documents.running_heads": "documents.headers_footers",
    "embedding.request_texts": "embedding.batch_size",
    "engine.keep_snapshots": "snapshots.keep",
    "engine.kind": "parallel.kind",
    "engine.workers": "parallel.workers",
    "ensemble.least_runs": "ensemble.min_runs",
    "release.level": "release.significance_level",
    "rerank.request_texts": "rerank.batch_size",
    "retrieval.one_place": "retrieval.merge_duplicates",
    "retrieval.rerank": "retrieval.consensus",
}
GONE = {
    "answer.reader": "there is one built-in reader",
    "assistant.writer": 'answer.form = "value" or "text" says what a chat model writes, by every door',
}
_FIRST = {new: old for old, new in RENAMED.items()}


def with_first_names(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by the first name of each setting, so that digests of them outlive a new name.

    >>> with_first_names({"retrieval.consensus": "rrf", "retrieval.top_k": 8})
    {'retrieval.rerank': 'rrf', 'retrieval.top_k': 8}
    """
    return {_FIRST.get(key, key): value for key, value in values.items()}


def with_present_names(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return stored values by the name that each setting has now, without those of settings that are gone.

    >>> with_present_names({"retrieval.rerank": "rrf", "retrieval.top_k": 8})
    {'retrieval.consensus': 'rrf', 'retrieval.top_k': 8}
    """
    return {RENAMED.get(key, key): value for key, value in values.items() if key not in GONE}

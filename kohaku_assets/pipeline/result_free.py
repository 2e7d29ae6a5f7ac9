"""The settings on which no result depends, so that every stage may read them: places, limits, servers and their keys."""

from __future__ import annotations

_NAMES = {
    "corpus": "org_id documents questions accepted_questions",  # the documents of the index are of the tenant
    "parallel": "kind workers",
    "snapshots": "keep",
    "images": "caption_concurrent",
    "embedding": "device backend trust_remote_code base_url api_key_env batch_size request_tokens max_concurrent "
    "call_retries retry_base_s timeout_s max_reply_mb usd_per_million_tokens",
    "graph": "max_concurrent",
    "raptor": "max_concurrent",
    "lightrag": "max_concurrent",
    "retrieval": "channel_timeout_s graph_server graph_server_timeout_s",
    "rerank": "base_url api_key_env batch_size max_concurrent call_retries retry_base_s timeout_s max_reply_mb",
    "llm": "trust_remote_code base_url api_key_env fallback.base_url fallback.api_key_env max_concurrent call_retries "
    "retry_base_s retry_factor timeout_s max_reply_mb requests_per_minute tokens_per_minute max_cost_usd batch "
    "batch_price_share prices",
}
RESULT_FREE = frozenset(
    {"store", *(f"{section}.{name}" for section, names in _NAMES.items() for name in names.split())}
)

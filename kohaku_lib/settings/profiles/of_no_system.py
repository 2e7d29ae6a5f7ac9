"""The settings that belong to the user or the machine, so that no profile sets them."""

from __future__ import annotations

# Inputs, machines, servers, limits of time and money, and what is done with results: no system has a say in these.
OF_NO_SYSTEM: frozenset[str] = frozenset(
    {
        "profile",
        "store",
        "bucket.url",
        "bucket.keep",
        "bucket.upload_every_s",
        "bucket.lease_s",
        "documents.ocr_language",
        "documents.ocr_dpi",
        "documents.time_limit_s",
        "documents.memory_limit_mb",
        "images.caption_concurrent",
        "embedding.revision",
        "embedding.trust_remote_code",
        "embedding.device",
        "embedding.backend",
        "embedding.base_url",
        "embedding.api_key_env",
        "embedding.server_dimensions",
        "embedding.input_tokens",
        "embedding.batch_size",
        "embedding.request_tokens",
        "embedding.max_concurrent",
        "embedding.call_retries",
        "embedding.retry_base_s",
        "embedding.timeout_s",
        "embedding.max_reply_mb",
        "embedding.usd_per_million_tokens",
        "graph.relation_types",
        "graph.max_tokens",
        "graph.max_concurrent",
        "raptor.max_concurrent",
        "lightrag.max_concurrent",
        "retrieval.graph_server",
        "retrieval.graph_server_timeout_s",
        "retrieval.rescore",
        "retrieval.channel_timeout_s",
        "rerank.base_url",
        "rerank.served_model",
        "rerank.api_key_env",
        "rerank.logits",
        "rerank.batch_size",
        "rerank.call_retries",
        "rerank.retry_base_s",
        "rerank.timeout_s",
        "rerank.max_reply_mb",
        "rerank.chat_model",
        "rerank.local_model",
        "rerank.max_concurrent",
        "rerank.conformal_error",
        "llm.trust_remote_code",
        "llm.base_url",
        "llm.api_key_env",
        "llm.timeout_s",
        "llm.max_reply_mb",
        "llm.requests_per_minute",
        "llm.tokens_per_minute",
        "llm.max_cost_usd",
        "llm.batch",
        "llm.batch_price_share",
        "llm.prices",
        "llm.models",
        "answer.max_images",
        "answer.max_image_mb",
        "answer.read_passages",
        "answer.seed",
        "ensemble.seed",
    }
)
# Conversations and their server change no result of the pipeline.
SECTIONS_OF_NO_SYSTEM = (
    "assistant",
    "server",
    "corpus",
    "replay",
    "submission",
    "report",
    "release",
    "watch",
    "backup",
    "fetch",
    "sweep",
    "parallel",
    "snapshots",
    "resources",
    "llm.fallback",
)
OF_A_SYSTEM = frozenset({"assistant.cache_mode", "assistant.confidence"})  # though its section is not


def is_of_no_system(key: str) -> bool:
    """Return whether a setting belongs to the user or the machine, so that no profile sets it.

    >>> is_of_no_system("corpus.documents"), is_of_no_system("retrieval.top_k")
    (True, False)
    """
    if key in OF_A_SYSTEM:
        return False
    return key in OF_NO_SYSTEM or key.startswith(tuple(f"{name}." for name in SECTIONS_OF_NO_SYSTEM)) or key == "sweep"

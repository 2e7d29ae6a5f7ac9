"""The fields of a response of the assistant, as its callers rely on them."""

FIELDS = {
    "content",
    "answer",
    "sources",
    "confidence_score",
    "confidence_level",
    "suggested_questions",
    "context_sufficiency",
    "session_id",
    "answer_id",
    "cached",
    "index_version",
    "timings_ms",
}

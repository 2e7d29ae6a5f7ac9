"""The tables of the assistant's database, as the newest migration leaves them."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, DateTime, Float, ForeignKey, Index, Integer, MetaData, String, Table, Text

METADATA = MetaData()
SESSIONS = Table(
    "sessions",
    METADATA,
    Column("session_id", String, primary_key=True),
    Column("org_id", String, nullable=False),
    Column("user_id", String),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("settings_json", Text),  # values of settings for its questions, by key
)
MESSAGES = Table(
    "messages",
    METADATA,
    Column("message_id", Integer, primary_key=True, autoincrement=True),
    Column("session_id", String, ForeignKey("sessions.session_id"), nullable=False),
    Column("answer_id", String, nullable=False),
    Column("role", String, nullable=False),  # user, assistant
    Column("content", Text, nullable=False),
    Column("question", Text, nullable=False),  # as it was understood
    Column("is_answer", Boolean, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
)
Index("messages_by_session", MESSAGES.c.session_id, MESSAGES.c.message_id)
SERVED = Table(
    "served_questions",
    METADATA,
    Column("answer_id", String, primary_key=True),
    Column("session_id", String, nullable=False),
    Column("org_id", String, nullable=False),
    Column("user_id", String),
    Column("served_at", DateTime(timezone=True), nullable=False),
    Column("message", Text, nullable=False),
    Column("question", Text, nullable=False),  # as it was understood
    Column("mode", String, nullable=False),
    Column("level", String),
    Column("answer", Text, nullable=False),
    Column("is_answer", Boolean, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("coverage", Float, nullable=False),
    Column("cached", Boolean, nullable=False),
    Column("index_version", String),
    Column("sources_json", Text, nullable=False),  # node id, document, page, whether cited
    Column("answer_json", Text),  # outcome and form; None: no document was asked, or an earlier version recorded it
    Column("trace_json", Text, nullable=False),  # intent, queries, snippets, claims, lost channels
    Column("timings_json", Text, nullable=False),  # milliseconds by step
)
Index("served_by_org", SERVED.c.org_id, SERVED.c.served_at)
FEEDBACK = Table(
    "feedback",
    METADATA,
    Column("feedback_id", Integer, primary_key=True, autoincrement=True),
    Column("answer_id", String, ForeignKey("served_questions.answer_id"), nullable=False),
    Column("given_at", DateTime(timezone=True), nullable=False),
    Column("user_id", String),
    Column("rating", Integer, nullable=False),  # 1 or -1
    Column("correction", Text),  # the right answer, in the words of a person
    Column("right_source", String),  # the document that holds it
)
RUNTIME_SETTINGS = Table(
    "runtime_settings",
    METADATA,
    Column("change_id", Integer, primary_key=True, autoincrement=True),
    Column("org_id", String, nullable=False),  # "": for all organisations
    Column("key", String, nullable=False),
    Column("value_json", Text),  # None: the setting was dropped
    Column("changed_at", DateTime(timezone=True), nullable=False),
    Column("changed_by", String, nullable=False),
)
REVIEWS = Table(
    "reviews",
    METADATA,
    Column("review_id", Integer, primary_key=True, autoincrement=True),
    Column("org_id", String, nullable=False),
    Column("question", Text, nullable=False),  # normalised
    Column("is_accepted", Boolean, nullable=False),
    Column("reviewed_at", DateTime(timezone=True), nullable=False),
    Column("reviewed_by", String, nullable=False),
)
KEYS = Table(
    "api_keys",
    METADATA,
    Column("key_id", String, primary_key=True),
    Column("digest", String, nullable=False, unique=True),  # sha256 of the key, which is random and long
    Column("name", String, nullable=False),
    Column("org_id", String, nullable=False),
    Column("role", String, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("last_used_at", DateTime(timezone=True)),
    Column("revoked_at", DateTime(timezone=True)),
    Column("unconfirmed_since", DateTime(timezone=True)),  # a restore turned it off until it is confirmed
)

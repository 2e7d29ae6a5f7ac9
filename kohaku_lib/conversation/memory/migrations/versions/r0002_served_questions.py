"""The questions that were served, and what people said about their answers."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "served_questions",
        sa.Column("answer_id", sa.String, primary_key=True),
        sa.Column("session_id", sa.String, nullable=False),
        sa.Column("org_id", sa.String, nullable=False),
        sa.Column("user_id", sa.String),
        sa.Column("served_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("mode", sa.String, nullable=False),
        sa.Column("level", sa.String),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("is_answer", sa.Boolean, nullable=False),
        sa.Column("confidence", sa.Float, nullable=False),
        sa.Column("coverage", sa.Float, nullable=False),
        sa.Column("cached", sa.Boolean, nullable=False),
        sa.Column("index_version", sa.String),
        sa.Column("sources_json", sa.Text, nullable=False),
        sa.Column("trace_json", sa.Text, nullable=False),
        sa.Column("timings_json", sa.Text, nullable=False),
    )
    op.create_index("served_by_org", "served_questions", ["org_id", "served_at"])
    op.create_table(
        "feedback",
        sa.Column("feedback_id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("answer_id", sa.String, sa.ForeignKey("served_questions.answer_id"), nullable=False),
        sa.Column("given_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("user_id", sa.String),
        sa.Column("rating", sa.Integer, nullable=False),
        sa.Column("correction", sa.Text),
        sa.Column("right_source", sa.String),
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("feedback")
    op.drop_table("served_questions")

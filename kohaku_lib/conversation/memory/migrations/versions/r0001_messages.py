"""Sessions and their messages."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "sessions",
        sa.Column("session_id", sa.String, primary_key=True),
        sa.Column("org_id", sa.String, nullable=False),
        sa.Column("user_id", sa.String),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "messages",
        sa.Column("message_id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("session_id", sa.String, sa.ForeignKey("sessions.session_id"), nullable=False),
        sa.Column("answer_id", sa.String, nullable=False),
        sa.Column("role", sa.String, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("is_answer", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("messages_by_session", "messages", ["session_id", "message_id"])


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("messages")
    op.drop_table("sessions")

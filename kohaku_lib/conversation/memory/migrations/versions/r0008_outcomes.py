"""What an answer of a conversation turned out to be."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the column."""
    op.add_column("served_questions", sa.Column("answer_json", sa.Text))


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("served_questions", "answer_json")

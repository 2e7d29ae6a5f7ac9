"""What persons decided about served questions."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "reviews",
        sa.Column("review_id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("org_id", sa.String, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("is_accepted", sa.Boolean, nullable=False),
        sa.Column("reviewed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reviewed_by", sa.String, nullable=False),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("reviews")

"""Keys that came with a backup and are off until somebody confirms them."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the column."""
    op.add_column("api_keys", sa.Column("unconfirmed_since", sa.DateTime(timezone=True)))


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("api_keys", "unconfirmed_since")

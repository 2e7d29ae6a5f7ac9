"""Settings of a session; the runtime settings so far were those of the whole store, which has no organisation's name."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the column, and give the values to the store."""
    op.add_column("sessions", sa.Column("settings_json", sa.Text))
    op.execute("UPDATE runtime_settings SET org_id = ''")


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("sessions", "settings_json")

"""Settings that are changed while the assistant runs, with who changed them and when."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "runtime_settings",
        sa.Column("change_id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("org_id", sa.String, nullable=False),
        sa.Column("key", sa.String, nullable=False),
        sa.Column("value_json", sa.Text),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_by", sa.String, nullable=False),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("runtime_settings")

"""The migrations of the assistant's database by Alembic: one file per change in `versions`, applied when it is opened."""

"""The tables' past: one file a step in `versions`, found by Alembic, applied in order and never edited afterwards."""

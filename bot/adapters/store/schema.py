"""All tables: whoever compares them with what the migrations make imports this."""

from bot.adapters.store import (
    tables,
    tables_benches,
    tables_changes,
    tables_incidents,
    tables_node_versions,
    tables_posts,
)

metadata = tables.metadata
__all__ = ["metadata", "tables_benches", "tables_changes", "tables_incidents", "tables_node_versions", "tables_posts"]

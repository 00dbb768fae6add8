"""The terminal: one verb per file, found by its VERB."""

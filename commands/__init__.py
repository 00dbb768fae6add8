"""One command per file, found by its COMMAND."""

"""The managers that are recognised, one per file → MANAGER."""

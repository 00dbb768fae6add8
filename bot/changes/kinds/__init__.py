"""Kinds of change, one per file: each module's CHANGE is found by itself."""

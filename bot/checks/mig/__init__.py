"""MIG layouts and sharing."""

"""Nodes compared with each other."""

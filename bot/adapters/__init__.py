"""Adapters: the only modules that import client libraries."""

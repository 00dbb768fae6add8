"""Asking inference engines: their metrics, and a load of our own on request."""

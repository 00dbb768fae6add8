"""The node as a whole."""

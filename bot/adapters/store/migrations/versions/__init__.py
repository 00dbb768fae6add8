"""One step each, named after its revision."""

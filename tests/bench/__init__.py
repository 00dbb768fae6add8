"""Figures, each beside a peer or a floor of the same run: `make bench`."""

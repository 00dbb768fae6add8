"""Settings and the data files that ship with the product."""

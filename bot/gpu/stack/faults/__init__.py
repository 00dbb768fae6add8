"""One fault per file: `find` looks at a node and gives the fault, or None. Order and company are in chain.py."""

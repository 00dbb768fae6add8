"""Words and rules: plain data about a cluster, no I/O, nothing that reads a clock."""

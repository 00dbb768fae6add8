"""kube-scheduler's Filter plugins, one file each, by its own names. A file that ends in `FILTER = ...` is found."""

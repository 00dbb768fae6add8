"""What can be wrong with GPUs and their nodes, one check per file → CHECK. Pure: readings in, findings out."""

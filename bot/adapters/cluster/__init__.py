"""Reading Kubernetes clusters fast: kinds and their decoding, list and watch into a view, authentication."""

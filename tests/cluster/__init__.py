"""Tests against the real Kubernetes control plane: what it says is the truth that our own verdicts are held to."""

"""Pods, as far as their GPUs are concerned."""

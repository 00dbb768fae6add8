"""Asking the programs that run on nodes: gpubot's own agent, and exporters that serve Prometheus text.

A look or a sweep opens what it needs and closes it again: there is nothing to start and nothing to stop.
"""

"""Bolt's edge: envelopes in, messages out. Nothing here knows Kubernetes."""

"""Whose word a check can go by."""

import enum


class Reads(enum.StrEnum):
    """Who can tell."""

    API = "Kubernetes API"
    AGENT = "node agent"
    KERNEL = "kernel messages"
    DCGM = "DCGM exporter"
    LOGS = "pod logs"
    ENGINE = "an engine's metrics"

"""Who asks the engines of a cluster, by its settings."""

from collections.abc import Callable
from datetime import datetime

from bot.adapters.cluster.connection import Connection
from bot.adapters.engines.access import EngineAccess
from bot.adapters.engines.keeper import Source
from bot.adapters.engines.scraper import Scraper


def source(connection: Connection, access: EngineAccess, now: Callable[[], datetime]) -> Source:
    """A Prometheus where one is named, else the engines themselves."""
    if access.prometheus is not None:
        from bot.adapters.engines.prometheus import PrometheusReader

        return PrometheusReader(access.prometheus)
    scraper = Scraper(connection, access, now=now)
    scraper.prepare()
    return scraper

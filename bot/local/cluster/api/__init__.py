"""The local cluster's API server; see `ApiServer`."""

from bot.local.cluster.api.access import User
from bot.local.cluster.api.server import ApiServer

__all__ = ["ApiServer", "User"]

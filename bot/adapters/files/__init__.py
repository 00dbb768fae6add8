"""Reading a cluster from files: our case folder, a cluster-info dump, any YAML or JSON of objects, a stream."""

from bot.adapters.files.load import Loaded, Skipped, read
from bot.adapters.files.looker import FileLooker
from bot.adapters.files.side import LogKey, SideFiles
from bot.adapters.files.times import parse_time

__all__ = ["FileLooker", "Loaded", "LogKey", "SideFiles", "Skipped", "parse_time", "read"]

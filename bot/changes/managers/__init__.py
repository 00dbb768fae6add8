"""Who else writes an object, which of its fields, what they will undo and when, and what to change instead. Pure.

    found = managers(raw, scalers)                     one per kind of manager, the most immediate first
    concerned(found, (".spec.replicas",))              those that own one of these fields
    pull_request(manager, "deployment llm/glm", ...)   what to ask for in its source

`raw` is the object as the API server has it, managedFields and all: a view's `Thing` has none, so it is read afresh
(bot.ports.Writer.read, or Evidence). What cannot be told from an object (whether Argo CD heals by itself) is said to
be so.
"""

from bot.changes.managers.fields import concerned, touched
from bot.changes.managers.finding import managers
from bot.changes.managers.manager import Manager
from bot.changes.managers.pull_request import pull_request

__all__ = ["Manager", "concerned", "managers", "pull_request", "touched"]

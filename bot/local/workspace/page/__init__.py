"""The web page: a chat window over the workspace, rendered here, kept alive by server-sent events."""

from bot.local.workspace.page.guard import guard, secure
from bot.local.workspace.page.routes import Page

__all__ = ["Page", "guard", "secure"]

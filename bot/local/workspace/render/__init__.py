"""Block Kit to HTML, in Python: one file per family of blocks. Everything that comes in is escaped."""

from bot.local.workspace.render.blocks import render_blocks
from bot.local.workspace.render.mrkdwn import mrkdwn
from bot.local.workspace.render.scope import Names, Scope

__all__ = ["Names", "Scope", "mrkdwn", "render_blocks"]

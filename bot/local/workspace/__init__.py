"""A Slack on this machine: real Bolt connects to it, people use it through a web page or through Python.

>>> workspace = Workspace(setup)
>>> await workspace.start()
>>> bot = AsyncApp(client=AsyncWebClient(token="xoxb-local", base_url=workspace.api_url))
>>> await workspace.connected(5)
>>> outcome = await workspace.slash("ana", "ops", "/gpu status")
"""

from bot.local.workspace.errors import WorkspaceError
from bot.local.workspace.messages import Message, Outcome
from bot.local.workspace.setup import Channel, Setup, SlashCommand, User, UserGroup
from bot.local.workspace.workspace import Workspace

__all__ = ["Channel", "Message", "Outcome", "Setup", "SlashCommand", "User", "UserGroup", "Workspace", "WorkspaceError"]

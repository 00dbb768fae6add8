"""Would Slack accept these blocks? Limits as data, a walk over them, and the few rules that no table can hold."""

from bot.local.workspace.validation.message import check_message_blocks, check_view

__all__ = ["check_message_blocks", "check_view"]

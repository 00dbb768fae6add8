"""The Web API: every method by its name, gathered from one file per family."""

from bot.local.workspace.api import auth, chat, conversations, reactions, usergroups, users, views
from bot.local.workspace.api.call import Call, Method

METHODS: dict[str, Method] = {
    **auth.METHODS,
    **chat.METHODS,
    **conversations.METHODS,
    **reactions.METHODS,
    **usergroups.METHODS,
    **users.METHODS,
    **views.METHODS,
}

__all__ = ["METHODS", "Call", "Method"]

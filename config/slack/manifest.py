"""The manifest of the Slack app: what it is called, what it may do, which slash commands it has.

Slack's own schema: slackapi/manifest-schema. The app-level token cannot be part of a manifest: it is made in the app's
settings, with the scope connections:write.
"""

from collections.abc import Sequence
from typing import Any

SCOPES = (
    "app_mentions:read",  # to be asked by a mention
    "channels:history",  # to find its own message again after a crash, rather than say it twice
    "channels:read",  # `gpubot doctor` sees whether it is in the channels of the settings
    "chat:write",  # to answer
    "commands",  # to be asked by a slash command
    "groups:history",
    "groups:read",
    "im:history",  # to be asked in a direct message
    "im:read",
    "usergroups:read",  # where roles are given to user groups
    "users:read",
    "users:read.email",  # where people are mapped to Kubernetes users by e-mail
)
EVENTS = ("app_mention", "message.im")
HINT_MAX = 1_000


def manifest(slashes: Sequence[tuple[str, str, str]]) -> dict[str, Any]:
    """A manifest as a plain structure, ready to be pasted as JSON.

    `slashes`: each slash command, its description, and what may follow it.
    """
    return {
        "_metadata": {"major_version": 2, "minor_version": 1},
        "display_information": {
            "name": "gpubot",
            "description": "GPU clusters: what is free, what waits and why",
            "background_color": "#1f2937",
        },
        "features": {
            "app_home": {
                "home_tab_enabled": False,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": "gpubot", "always_online": True},
            "slash_commands": [
                {
                    "command": command,
                    "description": summary,
                    "usage_hint": usage[:HINT_MAX],
                    "should_escape": False,
                }
                for command, summary, usage in slashes
            ],
        },
        "oauth_config": {"scopes": {"bot": list(SCOPES)}},
        "settings": {
            "event_subscriptions": {"bot_events": list(EVENTS)},
            "interactivity": {"is_enabled": True},
            "org_deploy_enabled": False,
            "socket_mode_enabled": True,
            "token_rotation_enabled": False,
        },
    }

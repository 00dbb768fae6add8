"""What a workspace consists of before anybody speaks: people, channels, the app and its slash commands."""

from __future__ import annotations

from dataclasses import dataclass

BOT_USER_ID = "U0GPUBOT"
BOT_ID = "B0GPUBOT"
APP_ID = "A0GPUBOT"
TEAM_ID = "T0LOCAL"
SLACKBOT_ID = "USLACKBOT"


@dataclass(frozen=True, slots=True)
class User:
    """A person. `id` starts with U and is upper case, as in Slack; `name` is the handle without the @."""

    id: str
    name: str
    real_name: str
    email: str
    is_admin: bool = False


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel. `id` starts with C; `members` are ids of people (the bot is listed in `Setup.bot_channels`)."""

    id: str
    name: str
    members: tuple[str, ...]
    is_private: bool = False
    topic: str = ""
    is_archived: bool = False


@dataclass(frozen=True, slots=True)
class UserGroup:
    """A user group. `id` starts with S; `handle` is what people mention, without the @; `users` are ids."""

    id: str
    handle: str
    name: str
    users: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A command of the app's manifest; `completions` are arguments that the composer offers ("status --by team")."""

    command: str
    description: str
    usage_hint: str
    completions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Setup:
    """The whole workspace as data, with the two tokens that it accepts."""

    team_name: str
    users: tuple[User, ...]
    channels: tuple[Channel, ...]
    commands: tuple[SlashCommand, ...]
    bot_name: str = "gpubot"
    bot_token: str = "xoxb-local"
    app_token: str = "xapp-local"
    bot_channels: tuple[str, ...] = ()
    groups: tuple[UserGroup, ...] = ()

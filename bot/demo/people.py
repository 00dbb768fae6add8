"""Who is in the demo's workspace, and what its app's manifest declares."""

from collections.abc import Mapping, Sequence

from bot.command import Command
from bot.local.workspace import Channel, Setup, SlashCommand, User
from config.access import AccessSettings, GrantSettings

ANA, BEN, CHEN, DORA = "U0ANA", "U0BEN", "U0CHEN", "U0DORA"
OPS, SERVING, TRAINING, PRIVATE = "C0OPS", "C0SERVING", "C0TRAIN", "C0ONCALL"


def access() -> AccessSettings:
    """Ana administers, Ben and Chen may ask for changes, Dora only reads."""
    return AccessSettings(admins=(GrantSettings(users=(ANA,)),), operators=(GrantSettings(users=(BEN, CHEN)),))


def setup(commands: Sequence[Command], slashes: Mapping[str, str]) -> Setup:
    """Four people, four channels; gpubot is in all of them but the private one."""
    everybody = (ANA, BEN, CHEN, DORA)
    return Setup(
        team_name="GPU platform",
        users=(
            User(ANA, "ana", "Ana", "ana@example.com", is_admin=True),
            User(BEN, "ben", "Ben", "ben@example.com"),
            User(CHEN, "chen", "Chen", "chen@example.com"),
            User(DORA, "dora", "Dora", "dora@example.com"),
        ),
        channels=(
            Channel(OPS, "gpu-ops", everybody, topic="Nodes, GPUs, incidents (Ana is on call)"),
            Channel(SERVING, "llm-serving", (ANA, BEN), topic="glm-prod and friends (Ben serves models)"),
            Channel(
                TRAINING,
                "training",
                (ANA, CHEN, DORA),
                topic="Who gets the next eight GPUs (Chen trains, Dora researches)",
            ),
            Channel(PRIVATE, "oncall", (ANA,), is_private=True, topic="gpubot was not invited here"),
        ),
        commands=tuple(_slash(slash, words, commands) for slash, words in slashes.items()),
        bot_channels=(OPS, SERVING, TRAINING),
    )


def _slash(slash: str, words: str, commands: Sequence[Command]) -> SlashCommand:
    """`words` are what the slash command stands for: all commands, or one of them."""
    word = words.removeprefix("gpu").strip()
    command = next((one for one in commands if one.name == word), None)
    if command is None:
        return SlashCommand(
            slash, "GPUs of the cluster", "status | node | versions | why | help", tuple(completions(commands, "gpu"))
        )
    return SlashCommand(slash, command.summary, command.takes_words, tuple(completions([command], f"gpu {word}")))


def completions(commands: Sequence[Command], words: str) -> list[str]:
    """What the composer offers after a slash command: every example of every command that it stands for."""
    return [example.removeprefix(f"/{words}").strip() for command in commands for example in command.examples]

"""Who is in the demo's workspace, and what its app's manifest declares."""

from collections.abc import Sequence

from bot.command import Command
from bot.local.workspace import Channel, Setup, SlashCommand, User

ANA, BEN, CHEN, DORA = "U0ANA", "U0BEN", "U0CHEN", "U0DORA"
OPS, SERVING, TRAINING, PRIVATE = "C0OPS", "C0SERVING", "C0TRAIN", "C0ONCALL"


def setup(commands: Sequence[Command], slash: str) -> Setup:
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
        commands=(SlashCommand(slash, "GPUs of the cluster", "status | help", tuple(completions(commands, slash))),),
        bot_channels=(OPS, SERVING, TRAINING),
    )


def completions(commands: Sequence[Command], slash: str) -> list[str]:
    """What the composer offers after the slash command: every example of every command."""
    return [example.removeprefix(f"{slash} ") for command in commands for example in command.examples]

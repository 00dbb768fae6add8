"""A command inside a sentence, where backticks mark what can be typed."""


def shown(command: str) -> str:
    """Marked. A name that holds a mark itself is none that an API server takes: then nothing is offered to be typed."""
    odd = any(character == "`" or character < " " for character in command)
    return "(its name cannot be typed)" if odd else f"`{command}`"

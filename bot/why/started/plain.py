"""Foreign names inside backticks: what could end the backticks, or does not show, is taken out."""

from bot.domain.text import inert

LONGEST = 160


def plain(text: str, longest: int = LONGEST) -> str:
    """A name of a container, an image, a path: unchanged where it is one that an API server would take."""
    return inert(text, longest).replace("`", "′")

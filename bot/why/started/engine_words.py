"""What a log's reading says, as part of an answer about one pod."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.serving.reading import Match, Reading
from bot.why.containers import Container
from bot.why.started.say import quote

SHOWN = 3
_PLAIN = frozenset(
    "The A An Another No None Not This These It Its One Some Something Too What Weights There Several".split()
)


def explained(read: Reading) -> str:
    """The cause in a clause; empty where only symptoms are known, or nothing."""
    return clause(read.cause) if read.cause else ""


def clause(match: Match) -> str:
    """A sentence made part of another: without its full stop, and small where it begins with a plain word."""
    text = match.cause.strip().removesuffix(".")
    first = text.partition(" ")[0]
    return text[:1].lower() + text[1:] if first in _PLAIN else text


def quoted(match: Match) -> str:
    """The line as it stands in the log."""
    often = f" ({match.count:,} times)" if match.count > 1 else ""
    return f"log{often}: {quote(match.line)}"


def engine_remedies(pod: Pod, container: Container, read: Reading) -> Iterator[Remedy]:
    """What helps against the log's cause, with the pod's own names in the commands."""
    if read.cause is None:
        return
    places = {"pod": pod.name, "namespace": pod.namespace, "node": pod.node, "container": container.name}
    for one in read.cause.remedies[:SHOWN]:
        told = one.at(**places)
        inside = told.command.startswith("kubectl") and " exec " in told.command
        command = told.command if container.running or not inside else ""  # there is nothing to exec into
        yield Remedy(told.action.strip().removesuffix("."), command)

"""What somebody asks to scale, as the arguments from which the same plan is made again: absolute numbers and times."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from bot.changes.kind import Ask
from bot.domain.evidence import NO_EVIDENCE, Evidence
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.scaling.forms import replicas_of
from bot.scaling.target import target
from bot.scaling.wish import Wish, wish


def scale_ask(
    words: Sequence[str],
    options: Mapping[str, str],
    view: View,
    inventory: Inventory,
    now: datetime,
    evidence: Evidence = NO_EVIDENCE,
) -> Ask:
    """Raises UsageError, NotFoundError, UpstreamError."""
    wanted = wish(words, now, options.get("replicas", ""))
    thing = target(view, wanted.name, options.get("namespace", ""), _told(wanted))
    arguments = {
        "kind": thing.kind,
        "namespace": thing.namespace,
        "name": thing.name,
        "replicas": str(wanted.replicas(replicas_of(thing))),
    }
    if wanted.until is not None:
        arguments["ends_at"] = wanted.until.astimezone(UTC).isoformat(timespec="seconds")
    return Ask(arguments, view, inventory, now, because=wanted.because, evidence=evidence)


def _told(wanted: Wish) -> str:
    return f"{wanted.number:+d}" if wanted.relative else str(wanted.number)

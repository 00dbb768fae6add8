"""A sweep for scripts: every entry in full, in the order in which it is told."""

from typing import Any

import msgspec

from bot.command import Reply
from bot.domain.text import disarm
from bot.gpu.kind import gpus_of
from bot.sweep.trouble import Entry, Sweep, Trouble
from bot.views import text

PODS_NAMED = 50


def whole(swept: Sweep, reply: Reply) -> dict[str, Any]:
    """`problems` and `waits` beside what every answer has; times in RFC 3339, empty where nobody told."""
    told = msgspec.structs.replace(reply.answer, text=text.render(reply.document))
    return {
        **msgspec.to_builtins(told),
        "problems": [_entry(one) for one in swept.entries],
        "lasting": [_entry(one) for one in swept.lasting],
        "waits": [{"who": one.who, "how": one.how, "until": one.until} for one in swept.waits],
        "notes": list(swept.notes),
    }


def _entry(entry: Entry) -> dict[str, Any]:
    pods = entry.pods
    return {
        "id": entry.root.id,
        "severity": str(entry.severity),
        "sentence": disarm(entry.root.sentence),
        "since": entry.since,
        "effect": list(entry.effect),
        "nodes": list(entry.nodes),
        "pods": [pod.key for pod in pods[:PODS_NAMED]],
        "pod_count": len(pods),
        "gpus": sum(map(gpus_of, pods)),
        "evidence": list(entry.root.evidence),
        "remedies": msgspec.to_builtins(entry.root.remedies),
        "useless": list(entry.root.useless),
        "unknown": list(entry.root.unknown),
        "under": [_under(one) for one in entry.under],
    }


def _under(one: Trouble) -> dict[str, Any]:
    return {"id": one.id, "severity": str(one.severity), "sentence": disarm(one.sentence), "owner": one.owner}

"""Builders for plans: a thing of a kind that only explanations read, and a question about a view."""

from typing import Any

import msgspec

from bot.changes.kind import Ask
from bot.domain.evidence import NO_EVIDENCE, Evidence
from bot.domain.source import Reading, Source
from bot.domain.thing import Thing, plural
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from tests.factories import NOW, POLICY, a_view

MORE_KINDS = ("poddisruptionbudgets", "deployments", "statefulsets", "daemonsets", "leaderworkersets", "runtimeclasses")


def a_thing(
    kind: str, name: str, raw: dict[str, Any] | None = None, *, namespace: str = "llm", **changed: Any
) -> Thing:
    defaults: dict[str, Any] = {"uid": f"uid-{name}", "api_version": "apps/v1", "raw": msgspec.json.encode(raw or {})}
    return Thing(kind=kind, name=name, namespace=namespace, **(defaults | changed))


def a_whole_view(*records: Any) -> View:
    """Things too, and every kind that plans read is read."""
    view = a_view(*(one for one in records if type(one) is not Thing))
    for kind in MORE_KINDS:
        view.sources[kind] = Source(kind, Reading.LIVE, NOW)
    for thing in (one for one in records if type(one) is Thing):
        view.put(plural(thing.kind), thing.key, thing)
    return view


def an_ask(view: View, evidence: Evidence = NO_EVIDENCE, because: str = "because of a test", **arguments: str) -> Ask:
    return Ask(arguments, view, Inventory(view, POLICY), NOW, because=because, evidence=evidence)

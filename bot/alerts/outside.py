"""Alertmanager's webhook, version 4, as alerts of ours: one bot and one thread for both.

The body is foreign: every field is checked and capped, and nothing in it is obeyed. What labels name decides where an
alert belongs: `node` or `instance`, `namespace` with a workload or pod, `severity`, `team`. Source:
prometheus.io/docs/alerting/latest/configuration/#webhook_config, prometheus/alertmanager:notify/webhook/webhook.go.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import msgspec

from bot.alerts.fingerprint import fingerprint
from bot.domain.alert import Alert, Bundle, Content
from bot.domain.answer import Remedy
from bot.domain.errors import UsageError
from bot.domain.severity import Severity
from bot.domain.text import inert
from bot.domain.time import read_time

SOURCE = "Alertmanager"
VERSION = "4"
ALERTS_AT_MOST = 500
NAME_MAX, TEXT_MAX = 253, 400
_CRITICAL = frozenset({"critical", "page", "error", "fatal", "emergency", "high"})
_WORKLOADS = ("deployment", "statefulset", "daemonset", "job_name", "job", "workload", "pod")


class _Alert(msgspec.Struct):
    status: str = "firing"
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    startsAt: str = ""  # noqa: N815  # as Alertmanager spells it
    fingerprint: str = ""


class _Payload(msgspec.Struct):
    version: str
    alerts: list[_Alert]


class Outside(msgspec.Struct, frozen=True, kw_only=True):
    """What came: bundles of what fires, fingerprints of what is over, and how many alerts were left out."""

    bundles: tuple[Bundle, ...] = ()
    over: frozenset[str] = frozenset()
    left: int = 0


def from_alertmanager(payload: Any, nodes: Mapping[str, object] | None = None) -> Outside:
    """nodes: names of those that there are. Raises UsageError with one sentence for what is no such webhook."""
    try:
        told = msgspec.convert(payload, _Payload)
    except (msgspec.ValidationError, RecursionError) as error:
        raise UsageError(f"This is no webhook of Alertmanager: {inert(str(error), 160)}.") from error
    if told.version != VERSION:
        raise UsageError(f"Version {inert(told.version, 20)} of Alertmanager's webhook is not known; {VERSION} is.")
    taken = told.alerts[:ALERTS_AT_MOST]
    firing = [_bundle(one, nodes or {}) for one in taken if one.status != "resolved"]
    over = frozenset(_print(one) for one in taken if one.status == "resolved")
    return Outside(bundles=tuple(firing), over=over, left=len(told.alerts) - len(taken))


def _bundle(one: _Alert, nodes: Mapping[str, object]) -> Bundle:
    name = _cause(one)
    node, owner = _node(one.labels, nodes), _owner(one.labels)
    severity = Severity.CRITICAL if one.labels.get("severity", "").casefold() in _CRITICAL else Severity.WARNING
    subject = owner or node or _text(one.labels.get("instance", "")) or "the cluster"
    alert = Alert(
        fingerprint=_print(one),
        cause=name,
        severity=severity,
        subject=subject,
        node=node,
        owner=owner,
        team=_text(one.labels.get("team", "")),
        source=SOURCE,
    )
    title = one.annotations.get("summary") or one.annotations.get("description") or f"{subject}: {name}"
    content = Content(
        title=inert(title, TEXT_MAX).rstrip("."),
        cause=name,
        severity=severity,
        since=_since(one.startsAt),
        evidence=tuple(_evidence(one)),
        remedies=tuple(_remedies(one)),
        nodes=(node,) if node else (),
        places=(node,) if node else (),
    )
    return Bundle(alerts=(alert,), content=content)


def _print(one: _Alert) -> str:
    """By its labels, which are what Alertmanager knows it by."""
    return fingerprint("alertmanager", *(f"{key}={value}" for key, value in sorted(one.labels.items())))


def _cause(one: _Alert) -> str:
    return f"alertmanager.{inert(one.labels.get('alertname', '') or 'unnamed', 120)}"


def _node(labels: Mapping[str, str], nodes: Mapping[str, object]) -> str:
    """A node's name where a label has one that is known; an instance's port is left off."""
    for key in ("node", "kubernetes_node", "nodename", "hostname", "Hostname", "instance"):
        value = labels.get(key, "")[:NAME_MAX]
        found = value if value in nodes else value.rpartition(":")[0]
        if found in nodes:
            return found
    return ""


def _owner(labels: Mapping[str, str]) -> str:
    namespace = _text(labels.get("namespace", ""))
    name = next((text for key in _WORKLOADS if namespace and (text := _text(labels.get(key, "")))), "")
    return f"{namespace}/{name}" if name else ""


def _evidence(one: _Alert) -> Iterator[str]:
    description = one.annotations.get("description", "")
    if description and description != one.annotations.get("summary"):
        yield inert(description, TEXT_MAX)
    labels = ", ".join(f"{inert(key, 60)}={inert(value, 60)}" for key, value in sorted(one.labels.items())[:12])
    yield f"labels: {inert(labels, TEXT_MAX)}"


def _remedies(one: _Alert) -> Iterator[Remedy]:
    runbook = one.annotations.get("runbook_url", "")
    if runbook:
        yield Remedy(f"Its rule names a runbook: {inert(runbook, 300)}")


def _since(text: str) -> datetime | None:
    return read_time(text[:40])


def _text(value: str) -> str:
    return inert(value, NAME_MAX)

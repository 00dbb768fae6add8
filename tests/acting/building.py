"""A cluster, a record and posts in memory, and a service on top of them that can be killed at any call.

`Killer` counts the calls to the outside, before and after each takes effect: a service that dies at the n-th is dead
for good; a new one is made on what is left.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import msgspec

from bot.access.rules import Rules
from bot.acting.changing.ground import Ground, Site
from bot.acting.changing.service import Changing
from bot.changes.collect import change_kinds
from bot.changes.kind import ChangeKind
from bot.domain.change import Change, Plan, Step, Verb
from bot.domain.document import Document
from bot.domain.evidence import Evidence, LogRef, ObjectRef, Wanted
from bot.domain.fields import Fields
from bot.domain.person import Asker, Identity
from bot.domain.posting import Post
from bot.domain.view import View
from bot.domain.writing import Done, Refusal, Review, WriteRefusedError
from bot.gpu.inventory import Inventory
from bot.ports import Prober
from bot.views.text import render
from tests.access.building import ANA, BEN, CHEN, DORA, NOW, RULES, a_person
from tests.factories import POLICY
from tests.fakes.changes import MemoryChanges

CLUSTER = "test"


class KilledError(BaseException):
    """As kill -9: nobody handles it."""


@dataclass
class Killer:
    """Dies at call number `at`, and at every later one of the same life; 0 never dies."""

    at: int = 0
    calls: int = 0

    def __call__(self) -> None:
        self.calls += 1
        if self.at and self.calls >= self.at:
            raise KilledError


class Mortal:
    """Every method of what is inside may be the last one: before it took effect, or after."""

    def __init__(self, inside: object, killer: Killer) -> None:
        self._inside, self._killer = inside, killer

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inside, name)

        async def call(*args: Any, **kwargs: Any) -> Any:
            self._killer()
            result = await method(*args, **kwargs)
            self._killer()
            return result

        return call


@dataclass
class FakeCluster:
    """A Writer over a view. `made` are the steps that changed something, in order; `asked` the access reviews.

    troubles: called with each step that is not a dry run, before it takes effect; it may raise.
    """

    view: View
    objects: dict[tuple[str, str, str], dict[str, Any]] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)
    rehearsed: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    as_whom: list[Identity | None] = field(default_factory=list)
    lacks: frozenset[str] = frozenset()
    quota: str = ""
    troubles: Callable[[Step], None] = lambda step: None
    after: Callable[[Step], None] = lambda step: None
    logs: dict[tuple[str, str], str] = field(default_factory=dict)

    async def do(self, step: Step, *, dry_run: bool, as_: Identity | None = None) -> Done:
        if dry_run:
            self.rehearsed.append(step.says)
            if self.quota:
                raise WriteRefusedError(self.quota, refusal=Refusal.QUOTA, status=403)
            return Done("")
        self.troubles(step)
        self.as_whom.append(as_)
        self._change(step)
        self.made.append(step.says)
        self.after(step)
        return Done(f"audit-{len(self.made)}")

    async def may(self, identity: Identity | None, verb: str, *, resource: str, **more: Any) -> Review:
        said = f"{verb} {resource}/{more['subresource']}" if more.get("subresource") else f"{verb} {resource}"
        self.asked.append(f"{identity.user if identity else 'gpubot'}: {said}")
        return Review(said not in self.lacks, "no RBAC policy matched" if said in self.lacks else "allowed")

    async def read(self, target: Any) -> dict[str, Any] | None:
        return self.objects.get((target.kind, target.namespace, target.name))

    async def log(self, namespace: str, pod: str, container: str, tail: int) -> str:
        del container, tail
        return self.logs.get((namespace, pod), "")

    async def look(self, wanted: Wanted, timeout_seconds: float) -> Evidence:
        del timeout_seconds
        texts = {ref: text for ref in wanted.refs if isinstance(ref, LogRef) and (text := self._log(ref))}
        objects = {
            ref: Fields(found)
            for ref in wanted.refs
            if isinstance(ref, ObjectRef) and (found := self.objects.get((ref.kind, ref.namespace, ref.name)))
        }
        return Evidence(objects, texts)

    def _log(self, ref: LogRef) -> str:
        return self.logs.get((ref.namespace, ref.pod), "")

    def know(self, kind: str, name: str, namespace: str = "", uid: str = "", **spec: Any) -> None:
        self.objects[(kind, namespace, name)] = {"metadata": {"name": name, "uid": uid}, "spec": spec}

    def _change(self, step: Step) -> None:
        """Raises where the API server would."""
        target = step.target
        key = (target.kind, target.namespace, target.name)
        found = self.objects.get(key)
        if step.verb is Verb.CREATE:
            if found is not None:
                raise WriteRefusedError("it exists", refusal=Refusal.EXISTS, status=409)
            self.objects[key] = {**step.body}
            return
        if found is None:
            raise WriteRefusedError("not found", refusal=Refusal.ABSENT, status=404)
        if target.uid and found["metadata"]["uid"] != target.uid:
            raise WriteRefusedError("another object", refusal=Refusal.REPLACED, status=409)
        if step.verb in (Verb.DELETE, Verb.EVICT):
            del self.objects[key]
            self.view.take("pods", f"{target.namespace}/{target.name}")
            return
        _merge(found, step.body)
        node = self.view.nodes.get(target.name)
        if target.kind == "Node" and node is not None:
            on = bool(found["spec"].get("unschedulable"))
            by = "gpubot" if on else ""
            self.view.put("nodes", node.name, msgspec.structs.replace(node, unschedulable=on, cordoned_by=by))


def _merge(found: dict[str, Any], patch: Mapping[str, Any]) -> None:
    for key, value in patch.items():
        if value is None:
            found.pop(key, None)
        elif isinstance(value, Mapping):
            _merge(found.setdefault(key, {}), value)
        else:
            found[key] = value


@dataclass
class FakePosts:
    """What stands in the channel, by key; `history` in the order in which it was put."""

    standing: dict[str, Post] = field(default_factory=dict)
    history: list[Post] = field(default_factory=list)

    async def put(self, posts: Sequence[Post], now: datetime) -> None:
        del now
        for post in posts:
            if self.standing.get(post.key) != post:
                self.standing[post.key] = post
                self.history.append(post)


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.time = NOW
        self.slept: list[float] = []
        self.wakes: Callable[[], None] = lambda: None

    def __call__(self) -> datetime:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += timedelta(seconds=seconds)
        self.wakes()
        for _ in range(20):  # whoever was woken has its turn
            await asyncio.sleep(0)


@dataclass
class World:
    """All of it. `service` is alive until it is killed; `again()` makes a new one on the same record and cluster."""

    cluster: FakeCluster
    store: MemoryChanges = field(default_factory=MemoryChanges)
    posts: FakePosts = field(default_factory=FakePosts)
    clock: Clock = field(default_factory=Clock)
    rules: Rules = RULES
    people: dict[str, Asker] = field(default_factory=lambda: {who: a_person(who) for who in (ANA, BEN, CHEN, DORA)})
    kinds: Mapping[str, ChangeKind] = field(default_factory=change_kinds)
    explained: list[str] = field(default_factory=list)
    prober: Prober | None = None

    def ground(self, killer: Killer | None = None) -> Ground:
        killer = killer or Killer()

        def mortal(inside: object) -> Any:
            return Mortal(inside, killer)

        site = Site(
            CLUSTER,
            self.cluster.view,
            Inventory(self.cluster.view, POLICY),
            mortal(self.cluster),
            self.cluster,
            self.prober,
        )
        return Ground(
            sites={CLUSTER: site},
            store=mortal(self.store),
            posts=mortal(self.posts),
            kinds=self.kinds,
            rules=lambda: self.rules,
            people=self._person,
            now=self.clock,
            sleep=self.clock.sleep,
            explain=self._explain,
        )

    def service(self, killer: Killer | None = None, *, leads: bool = True) -> Changing:
        return Changing(self.ground(killer), lambda: leads)

    def change(self, number: int = 1) -> Change:
        return self.store.changes[number]

    def says(self) -> list[str]:
        """The audit in words."""
        return [f"{row.event.what}: {row.event.says}" for row in self.store.rows]

    async def _person(self, person: str, workspace: str, channel: str) -> Asker | None:
        del workspace, channel
        return self.people.get(person)

    async def _explain(self, cluster: str, subject: str) -> Document | None:
        del cluster
        self.explained.append(subject)
        return Document((f"why {subject}",))


def said(document: Document) -> str:
    return render(document)


def plan_of(world: World, kind: str, because: str = "a test", **arguments: str) -> Plan:
    """As a command would send it along: only kind, arguments and reason are believed."""
    del world
    return Plan(kind=kind, arguments=arguments, title="whatever was sent", because=because)

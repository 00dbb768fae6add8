"""Asking the cluster's own authorizer who may do what, before anybody tries.

https://kubernetes.io/docs/reference/access-authn-authz/authorization/ (SubjectAccessReview)
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import aiohttp
import msgspec

from bot.adapters.cluster.answered import Answered
from bot.adapters.cluster.connection import Connection
from bot.adapters.cluster.errors import TROUBLE, RefusedError, explain
from bot.adapters.cluster.impersonation import all_groups
from bot.adapters.cluster.outgoing import Outgoing
from bot.domain.errors import ConfigError
from bot.domain.person import Identity
from bot.domain.text import inert
from bot.domain.writing import Review

KEPT_SECONDS = 10.0  # how long an answer holds for reads
KEPT_MOST = 20_000
REVIEW_SECONDS = 5.0
AT_ONCE = 16
_FOLDER = "/apis/authorization.k8s.io/v1/"


class Question(NamedTuple):
    """Who (None: gpubot itself) may do what with which objects? No namespace: in all. No name: all of them."""

    identity: Identity | None
    verb: str
    api_group: str
    resource: str
    subresource: str
    namespace: str
    name: str

    @property
    def who(self) -> str:
        return inert(self.identity.user) if self.identity else "gpubot"

    @property
    def what(self) -> str:
        """`patch deployments/scale.apps in llm`."""
        sub = f"/{self.subresource}" if self.subresource else ""
        group = f".{self.api_group}" if self.api_group else ""
        where = f"in {self.namespace}" if self.namespace else "in the whole cluster"
        name = f" {self.name}" if self.name else ""
        return inert(f"{self.verb} {self.resource}{sub}{group}{name} {where}")


class _Status(msgspec.Struct, rename="camel"):
    allowed: bool
    reason: str | None = ""
    evaluation_error: str | None = ""


class _Answer(msgspec.Struct):
    status: _Status


class AccessReviews:
    """Answers are kept for seconds; what could not be answered is not."""

    def __init__(self, connection: Connection, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._connection = connection
        self._clock = clock
        self._kept: dict[Question, tuple[float, Review]] = {}
        self._slots = asyncio.Semaphore(AT_ONCE)

    async def answer(self, question: Question, *, fresh: bool) -> Review:
        """Never raises: whatever stands in the way makes the answer unknown, with the reason."""
        if question.identity is not None and not question.identity.user:
            return Review(None, f"Whether they may {question.what} is not known: they are mapped to nobody's name.")
        kept = self._kept.get(question)
        if kept is not None and not fresh and self._clock() - kept[0] < KEPT_SECONDS:
            return kept[1]
        asked_at = self._clock()
        review = await self._ask(question)
        if review.allowed is not None:
            self._keep(question, asked_at, review)
        else:
            self._kept.pop(question, None)
        return review

    def _keep(self, question: Question, asked_at: float, review: Review) -> None:
        """The oldest go first, as far as room is needed."""
        self._kept.pop(question, None)
        self._kept[question] = (asked_at, review)
        while len(self._kept) > KEPT_MOST:
            del self._kept[next(iter(self._kept))]

    async def _ask(self, question: Question) -> Review:
        try:
            async with self._slots:
                answered = await self._send(_request(question))
            return _review(question, msgspec.json.decode(answered.body, type=_Answer).status)
        except RefusedError as error:
            return Review(None, _not_asked(question, error))
        except (ConfigError, *TROUBLE) as error:
            told = error if isinstance(error, ConfigError) else explain(error, self._connection.access)
            return Review(None, f"Whether {question.who} may {question.what} is not known: {told}")

    async def _send(self, request: Outgoing) -> Answered:
        """Asking changes nothing, so a socket that was kept open and is dead is a reason to ask again."""
        try:
            return await self._connection.send(request, timeout_seconds=REVIEW_SECONDS, once=False)
        except aiohttp.ServerDisconnectedError:
            return await self._connection.send(request, timeout_seconds=REVIEW_SECONDS, once=True)


def _request(question: Question) -> Outgoing:
    attributes = {
        "verb": question.verb,
        "group": question.api_group,
        "resource": question.resource,
        "subresource": question.subresource,
        "namespace": question.namespace,
        "name": question.name,
    }
    spec: dict[str, Any] = {"resourceAttributes": {key: value for key, value in attributes.items() if value}}
    kind = "SelfSubjectAccessReview"
    if question.identity is not None:
        kind = "SubjectAccessReview"
        spec |= {"user": question.identity.user, "groups": all_groups(question.identity)}
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": kind, "spec": spec}
    return Outgoing("POST", f"{_FOLDER}{kind.lower()}s", body)


def _review(question: Question, status: _Status) -> Review:
    if status.allowed:
        return Review(True, f"{question.who} may {question.what}.")
    why = inert(status.reason or status.evaluation_error or "")
    return Review(False, f"no role gives {question.who} the right to {question.what}{f' ({why})' if why else ''}.")


def _not_asked(question: Question, error: RefusedError) -> str:
    told = f"Whether {question.who} may {question.what} is not known"
    if error.status == 403:
        return f"{told}: gpubot itself may not ask; its role lacks `create` on subjectaccessreviews (docs/rights.md)."
    return f"{told}: the API server answered {error.status} ({inert(error.message)})."

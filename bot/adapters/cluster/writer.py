"""Changing a live cluster, one call at a time: sent once, and what comes of it told apart (bot.domain.writing)."""

from typing import Any

import aiohttp
import msgspec

from bot.adapters.cluster import impersonation, refusals
from bot.adapters.cluster.access_review import AccessReviews, Question
from bot.adapters.cluster.answered import Answered
from bot.adapters.cluster.connection import Connection
from bot.adapters.cluster.errors import TROUBLE, RefusedError, explain
from bot.adapters.cluster.outgoing import Outgoing, path_of
from bot.adapters.cluster.refusal_words import place, refused
from bot.adapters.cluster.write_request import object_path, request_of
from bot.domain.change import Step, Target, Verb
from bot.domain.errors import ClusterError, ConfigError
from bot.domain.fields import Fields
from bot.domain.person import Identity
from bot.domain.writing import Done, Refusal, Review, WriteRefusedError, WriteUnknownError

DRY_RUN_SECONDS = 15.0
WRITE_SECONDS = 40.0  # an admission webhook may take 30 s; giving up earlier only means not to know
READ_SECONDS = 10.0
LOG_MAX_BYTES = 256 * 1024
_NOT_SENT = (
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.ClientHttpProxyError,
    aiohttp.InvalidURL,
)
_GONE_IS_DONE = (Verb.DELETE, Verb.EVICT)


class ClusterWriter:
    """A `Writer` (bot.ports) over one connection."""

    def __init__(self, connection: Connection, *, reviews: AccessReviews | None = None) -> None:
        self._connection = connection
        self._reviews = reviews or AccessReviews(connection)

    async def do(self, step: Step, *, dry_run: bool, as_: Identity | None = None) -> Done:
        request = _request(step, dry_run, as_)
        if step.verb is Verb.EVICT and step.target.uid and await self._has_gone(step.target):
            return Done("", already=True)
        try:
            timeout_seconds = DRY_RUN_SECONDS if dry_run else WRITE_SECONDS
            answered = await self._connection.send(request, timeout_seconds=timeout_seconds)
            return _done(answered)
        except RefusedError as error:
            if _is_gone(step, error):
                return Done(error.audit_id, already=True)
            if dry_run or refusals.is_certain(error):
                raise refused(error, step, as_) from error
            raise _unknown(step, f"the API server answered {error.status}", error.audit_id) from error
        except ConfigError as error:
            sentence = f"Cannot {step.verb} {place(step)}: {error}"
            raise WriteRefusedError(sentence, refusal=Refusal.CREDENTIALS) from error
        except TROUBLE as error:
            told = explain(error, self._connection.access)
            if dry_run or isinstance(error, _NOT_SENT):
                raise told from error
            raise _unknown(step, str(told)) from error

    async def may(
        self,
        identity: Identity | None,
        verb: str,
        *,
        api_group: str = "",
        resource: str,
        subresource: str = "",
        namespace: str = "",
        name: str = "",
        fresh: bool = False,
    ) -> Review:
        question = Question(identity, verb, api_group, resource, subresource, namespace, name)
        return await self._reviews.answer(question, fresh=fresh)

    async def read(self, target: Target) -> dict[str, Any] | None:
        try:
            data = await self._get(object_path(target), {})
            return msgspec.json.decode(data, type=dict[str, Any])
        except ValueError as error:
            raise ClusterError(f"Cannot read {target}: {error}.", retryable=False) from error
        except TROUBLE as error:
            if isinstance(error, RefusedError) and error.status == 404 and error.reason == "NotFound":
                return None
            raise explain(error, self._connection.access) from error

    async def log(self, namespace: str, pod: str, container: str, tail: int) -> str:
        params = {"container": container, "tailLines": str(tail), "limitBytes": str(LOG_MAX_BYTES)}
        try:
            data = await self._get(path_of("v1", "pods", namespace, pod, "log"), params)
        except ValueError as error:
            raise ClusterError(f"Cannot read the log of {pod[:60]!r}: {error}.", retryable=False) from error
        except TROUBLE as error:
            raise explain(error, self._connection.access) from error
        return data.decode("utf-8", "replace")

    async def _has_gone(self, target: Target) -> bool:
        """Looked at first because the eviction of another object's uid is tried for 10 s by the API server itself.

        Only that: the precondition holds anyway, so whoever cannot look goes on.
        """
        try:
            found = await self.read(target)
        except (ClusterError, ConfigError):
            return False
        return found is None or Fields(found).text("metadata", "uid") != target.uid

    async def _get(self, path: str, params: dict[str, str]) -> bytes:
        async with self._connection.get(path, params, silence_seconds=READ_SECONDS) as answer:
            return await answer.read()


def _request(step: Step, dry_run: bool, as_: Identity | None) -> Outgoing:
    try:
        request = request_of(step, dry_run=dry_run)
        return request.under(impersonation.headers(as_)) if as_ else request
    except ValueError as error:
        sentence = f"Cannot change {place(step)}: {error}."
        raise WriteRefusedError(sentence, refusal=Refusal.INVALID) from error


def _done(answered: Answered) -> Done:
    """A 2xx whose body is no object comes from something else than an API server: decoding fails, nobody knows."""
    body = msgspec.json.decode(answered.body, type=dict[str, Any])
    return Done(answered.audit_id, {} if body.get("kind") == "Status" else body, warnings=answered.warnings)


def _is_gone(step: Step, error: RefusedError) -> bool:
    """The very object that was to go is not there: nothing left to do, also where another has taken its name."""
    kind = refusals.kind_of(error)
    absent = kind is Refusal.ABSENT and error.reason == "NotFound"
    return step.verb in _GONE_IS_DONE and (absent or kind is Refusal.REPLACED)


def _unknown(step: Step, why: str, audit_id: str = "") -> WriteUnknownError:
    return WriteUnknownError(
        f"Whether {step.verb} of {place(step)} was done is not known ({why.rstrip('.')}): it must be read again first.",
        audit_id=audit_id,
    )

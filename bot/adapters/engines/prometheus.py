"""Engines' metrics from a Prometheus that has them already: a few instant queries for all engines of a cluster.

prometheus/docs:content/docs/querying/api.md. An instant query answers with the last sample of five minutes, at the
time of the query: when a sample was really taken is asked for as well, or an engine whose metrics nobody scrapes any
more would look like one that makes no tokens.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import httpx
import msgspec

from bot.adapters.cluster import tls
from bot.adapters.engines.access import Prometheus
from bot.adapters.nodes.told import NotToldError, too_late, too_long
from bot.domain.engine import Way
from bot.domain.engine_told import Said
from bot.domain.errors import ConfigError
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.serving.metrics.exposition import Sample
from bot.serving.metrics.names import Form, table
from bot.serving.metrics.read import reading
from bot.serving.metrics.series import joined

ANSWER_MAX_BYTES = 64 * 2**20  # of one query: a thousand engines have 70,000 buckets
RUNNING = ("vllm:num_requests_running", "sglang:num_running_reqs", "tgi_batch_current_size")
Whose = tuple[str, str]  # namespace and name of a pod
_LABEL_LONGEST = 200


class _Series(msgspec.Struct):
    metric: dict[str, str]
    value: tuple[float, str]


class _Data(msgspec.Struct, rename={"kind": "resultType"}):
    kind: str = ""
    result: list[_Series] = []


class _Answer(msgspec.Struct):
    status: str = ""
    error: str = ""
    data: _Data | None = None


_answer = msgspec.json.Decoder(_Answer)


def queries() -> tuple[str, ...]:
    """When it was told, then all figures, then the buckets."""
    names = {name: one for name, one in table().items() if ":" in name or one.engine in ("tgi", "triton")}
    buckets = sorted(name for name in names if name.endswith("_bucket"))
    figures = sorted(name for name, one in names.items() if one.form is not Form.HISTOGRAM or name.endswith("_sum"))
    when = f'timestamp({{__name__=~"{"|".join(RUNNING)}"}})'
    return (when, *(f'{{__name__=~"{"|".join(one)}"}}' for one in (figures, buckets)))


class PrometheusReader:
    """Of one cluster, or of all where series of several carry different namespaces and pods."""

    def __init__(self, access: Prometheus) -> None:
        self._access = access

    async def read(self, pods: Sequence[Pod]) -> Mapping[str, Said]:
        """By the pod's uid. Never raises."""
        try:
            async with asyncio.timeout(self._access.timeout_seconds):
                when, *told = await self._asked()
        except TimeoutError:
            return dict.fromkeys((pod.uid for pod in pods), f"Prometheus: {too_late(self._access.timeout_seconds)}")
        except NotToldError as error:
            return dict.fromkeys((pod.uid for pod in pods), f"Prometheus: {error}")
        except ConfigError as error:
            return dict.fromkeys((pod.uid for pod in pods), inert(str(error)))
        return await asyncio.to_thread(self._read, pods, when, told)

    def _read(self, pods: Sequence[Pod], when: list[_Series], told: list[list[_Series]]) -> dict[str, Said]:
        times = {self._whose(one): _time(one.value[1]) for one in when}
        wanted = {(pod.namespace, pod.name): pod.uid for pod in pods}
        found: dict[str, list[Sample]] = {}
        for one in (series for answer in told for series in answer):
            uid = wanted.get(self._whose(one))
            if uid is not None and (sample := _sample(one)) is not None:
                found.setdefault(uid, []).append(sample)
        return {
            pod.uid: reading(joined(found[pod.uid]), times.get((pod.namespace, pod.name)), Way.PROMETHEUS)
            if pod.uid in found and times.get((pod.namespace, pod.name))
            else "Prometheus has no metrics of it"
            for pod in pods
        }

    def _whose(self, one: _Series) -> Whose:
        return one.metric.get(self._access.namespace_label, ""), one.metric.get(self._access.pod_label, "")

    async def _asked(self) -> list[list[_Series]]:
        """Raises NotToldError, ConfigError."""
        token = self._access.token()
        verified = tls.context(authority=self._access.ca_file) if self._access.ca_file else True
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with httpx.AsyncClient(
            headers=headers, verify=verified, trust_env=False, timeout=self._access.timeout_seconds
        ) as client:
            return [await self._query(client, one) for one in queries()]

    async def _query(self, client: httpx.AsyncClient, query: str) -> list[_Series]:
        try:
            async with client.stream("POST", f"{self._access.url}/api/v1/query", data={"query": query}) as answer:
                body = await _body(answer)
            told = _answer.decode(body)
        except httpx.TimeoutException as error:
            raise too_late(self._access.timeout_seconds) from error
        except httpx.HTTPError as error:
            raise NotToldError(f"cannot be asked: {inert(str(error)) or type(error).__name__}") from error
        except (msgspec.DecodeError, RecursionError) as error:
            raise NotToldError(f"answers {answer.status_code} with something else than its API does") from error
        if told.status != "success" or told.data is None:
            raise NotToldError(f"answers {answer.status_code}: {inert(told.error) or 'no success'}")
        return told.data.result


async def _body(answer: httpx.Response) -> bytes:
    data = bytearray()
    async for chunk in answer.aiter_bytes():
        data += chunk
        if len(data) > ANSWER_MAX_BYTES:
            raise too_long(ANSWER_MAX_BYTES)
    return bytes(data)


def _sample(one: _Series) -> Sample | None:
    """As a line of a page would be read."""
    said = one.metric.get("__name__", "")
    name = table().get(said)
    value = _number(one.value[1])
    if name is None or value is None:
        return None
    part = said.rpartition("_")[2] if name.form is Form.HISTOGRAM else ""
    return Sample(name, part, ",".join(_labels(one.metric.items())), value, None)


def _labels(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, value in pairs:
        if name != "__name__":
            plain = value[:_LABEL_LONGEST].replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            yield f'{name}="{plain}"'


def _number(text: Any) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def _time(text: str) -> datetime | None:
    seconds = _number(text)
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None

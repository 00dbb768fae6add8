"""A bounded load of our own on one engine: so many requests at once, each answer timed as its tokens come.

To the pod's own address, else through the API server, which needs `create` on pods/proxy. OpenAI's completions, as vLLM
and SGLang serve them; `ignore_eos` makes every answer as long as asked, and a prompt of its own each keeps the prefix
cache from answering.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from statistics import median
from urllib.parse import quote

import httpx

from bot.adapters.cluster.connection import Connection
from bot.adapters.cluster.errors import TROUBLE
from bot.adapters.cluster.outgoing import Outgoing
from bot.adapters.engines.completions import body, chunk, prompt_of, refused
from bot.domain.bench import REQUESTS_MOST, SECONDS_MOST, Load, Point
from bot.domain.errors import ClusterError, ConfigError, ConflictError
from bot.domain.text import inert

PATH = "v1/completions"
FIRST_SECONDS = 10.0  # the first answer, which shows that there are any
GRACE_SECONDS = 3.0  # of each concurrency: what is under way may end
CONNECT_SECONDS = 3.0
ANSWER_MOST = 8 * 2**20


@dataclass(frozen=True, slots=True)
class Timed:
    """One answer. first_token: seconds, None where only the whole was seen."""

    seconds: float
    tokens: int
    first_token: float | None = None
    trouble: str = ""


Ask = Callable[[Load, str, float], Awaitable[Timed]]


class EngineLoader:
    """One cluster's. Of an engine one measurement at a time; no proxy of the environment is asked."""

    def __init__(self, connection: Connection, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._connection, self._clock = connection, clock
        self._busy: set[tuple[str, str]] = set()

    async def measure(self, load: Load) -> tuple[str, tuple[Point, ...]]:
        """Raises ConflictError, ClusterError."""
        key = (load.namespace, load.pod)
        if key in self._busy:
            raise ConflictError(f"{load.namespace}/{load.pod} is being measured already: wait for that one to end.")
        self._busy.add(key)
        try:
            async with httpx.AsyncClient(trust_env=False, follow_redirects=False) as client:
                return await self._measured(load, client)
        finally:
            self._busy.discard(key)

    async def _measured(self, load: Load, client: httpx.AsyncClient) -> tuple[str, tuple[Point, ...]]:
        async def directly(load: Load, prompt: str, seconds: float) -> Timed:
            return await self._directly(client, load, prompt, seconds)

        way, ask = ("direct", directly) if load.address and load.scheme == "http" else ("proxy", self._proxied)
        begun = self._clock()
        first = await ask(load, prompt_of(load), FIRST_SECONDS)
        if first.trouble and way == "direct":
            way, ask = "proxy", self._proxied
            first = await ask(load, prompt_of(load), FIRST_SECONDS)
        if first.trouble:
            raise ClusterError(f"{load.namespace}/{load.pod} cannot be measured: {first.trouble}.", retryable=False)
        return way, await self._points(load, ask, self._clock() - begun)

    async def _points(self, load: Load, ask: Ask, spent: float) -> tuple[Point, ...]:
        found: list[Point] = []
        steps = load.concurrencies
        each = max(1.0, (min(load.seconds, SECONDS_MOST) - spent) / len(steps) - GRACE_SECONDS)
        left = min(load.requests, REQUESTS_MOST) - 2  # two may have been the first
        for place, concurrency in enumerate(steps):
            share = max(1, left * concurrency // sum(steps[place:]))
            point = await self._point(load, ask, concurrency, share, each)
            found.append(point)
            left -= min(left, point.requests + point.failed + point.cut)
            if point.failed > point.requests or not left:
                break
        return tuple(found)

    async def _point(self, load: Load, ask: Ask, concurrency: int, most: int, seconds: float) -> Point:
        """`concurrency` workers, each with one request after the other, until the time or the requests are used up."""
        begun = self._clock()
        done: list[Timed] = []
        started = 0

        async def worker() -> None:
            nonlocal started
            while started < most and self._clock() - begun < seconds:
                started += 1
                done.append(await ask(load, prompt_of(load), seconds + GRACE_SECONDS))

        workers = [asyncio.create_task(worker()) for _ in range(min(concurrency, most))]
        _, late = await asyncio.wait(workers, timeout=seconds + GRACE_SECONDS)
        took = self._clock() - begun
        for task in late:
            task.cancel()
        results = await asyncio.gather(*workers, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                raise result
        return _point(concurrency, done, started - len(done), took)

    async def _directly(self, client: httpx.AsyncClient, load: Load, prompt: str, seconds: float) -> Timed:
        host = f"[{load.address}]" if ":" in load.address else load.address
        url, begun = f"http://{host}:{load.port}/{PATH}", self._clock()
        timeout = httpx.Timeout(seconds, connect=CONNECT_SECONDS)
        try:
            async with (
                asyncio.timeout(seconds),
                client.stream("POST", url, json=body(load, prompt), timeout=timeout) as answer,
            ):
                return await self._timed(answer.status_code, answer.aiter_lines(), begun)
        except (httpx.HTTPError, TimeoutError) as error:
            return self._failed(error, begun)

    async def _proxied(self, load: Load, prompt: str, seconds: float) -> Timed:
        scheme = "https:" if load.scheme == "https" else ""
        pod = f"{scheme}{quote(load.pod, safe='')}:{load.port}"
        path = f"/api/v1/namespaces/{quote(load.namespace, safe='')}/pods/{pod}/proxy/{PATH}"
        request, begun = Outgoing("POST", path, body(load, prompt)), self._clock()
        try:
            async with (
                asyncio.timeout(seconds),
                self._connection.streamed(request, silence_seconds=seconds) as answer,
            ):
                lines = (raw.decode("utf-8", "replace") async for raw in answer.content)
                return await self._timed(answer.status, lines, begun)
        except (ConfigError, ValueError, *TROUBLE) as error:  # ValueError: a line without end
            return self._failed(error, begun)

    async def _timed(self, status: int, lines: AsyncIterator[str], begun: float) -> Timed:
        """One streamed answer, read to its end."""
        if status != 200:
            return Timed(self._clock() - begun, 0, trouble=refused(status))
        first: float | None = None
        tokens, size = 0, 0
        async for line in lines:
            size += len(line)
            if size > ANSWER_MOST:
                return Timed(self._clock() - begun, 0, trouble="its answer does not end")
            text, counted = chunk(line)
            if text and first is None:
                first = self._clock() - begun
            tokens = counted if counted is not None else tokens + bool(text)
        return Timed(self._clock() - begun, tokens, first, "" if tokens else "it answered without a token")

    def _failed(self, error: Exception, begun: float) -> Timed:
        late = isinstance(error, (TimeoutError, httpx.TimeoutException))
        told = "no answer in time" if late else inert(str(error), 120) or type(error).__name__
        return Timed(self._clock() - begun, 0, trouble=told)


def _point(concurrency: int, done: list[Timed], cut: int, seconds: float) -> Point:
    well = [one for one in done if not one.trouble]
    firsts = [one.first_token for one in well if one.first_token is not None]
    gaps = [
        (one.seconds - one.first_token) / (one.tokens - 1)
        for one in well
        if one.first_token is not None and one.tokens > 1
    ]
    return Point(
        concurrency=concurrency,
        requests=len(well),
        failed=len(done) - len(well),
        cut=cut,
        seconds=seconds,
        tokens=sum(one.tokens for one in well),
        first_token=_spread(firsts),
        between=median(gaps) if gaps else None,
        whole=_spread([one.seconds for one in well]),
        trouble=next((one.trouble for one in done if one.trouble), ""),
    )


def _spread(values: list[float]) -> tuple[float, float] | None:
    """Median and 95th percentile (the nearest rank)."""
    if not values:
        return None
    ordered = sorted(values)
    return median(ordered), ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]

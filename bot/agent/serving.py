"""The agent's pages: /reading, /metrics, /kernel for those who may, /healthz for everybody."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

import msgspec
from aiohttp import web

from bot.agent import metric
from bot.agent.access import Access, shown
from bot.agent.metrics import families
from bot.agent.state import State
from bot.gpu.reading import read

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
FRESH_PERIODS = 3


@dataclass(frozen=True, slots=True)
class Pages:
    """`turning`: whether the agent itself still works, whatever NVML does."""

    state: State
    access: Access
    period_seconds: float
    kernel_lines: Callable[[], Iterable[str]]
    turning: Callable[[], bool]

    def app(self) -> web.Application:
        app = web.Application(client_max_size=4096)
        for path, handler in {"/reading": self._reading, "/metrics": self._metrics, "/kernel": self._kernel}.items():
            app.router.add_get(path, self._guarded(handler))
        app.router.add_get("/healthz", self._healthz)
        return app

    def _guarded(self, handler: Handler) -> Handler:
        async def guarded(request: web.Request) -> web.StreamResponse:
            certificate = bool(request.transport and request.transport.get_extra_info("peercert"))
            if not self.access.allows(shown(request.headers), certificate=certificate):
                return web.Response(
                    status=401, text="Not without the agent's token.\n", headers={"WWW-Authenticate": "Bearer"}
                )
            return await handler(request)

        return guarded

    async def _reading(self, _request: web.Request) -> web.Response:
        return web.Response(body=msgspec.json.encode(self.state.as_json()), content_type="application/json")

    async def _metrics(self, _request: web.Request) -> web.Response:
        node = read(msgspec.json.encode(self.state.as_json()), self.state.node)
        text = metric.text(families(node, self.state.age_seconds, FRESH_PERIODS * self.period_seconds))
        return web.Response(body=text.encode(), headers={"Content-Type": metric.CONTENT_TYPE})

    async def _kernel(self, _request: web.Request) -> web.Response:
        """Lines of this boot's kernel log that speak of the GPU stack, as `dmesg --time-format iso` would give them."""
        return web.Response(text="".join(f"{line}\n" for line in self.kernel_lines()))

    async def _healthz(self, _request: web.Request) -> web.Response:
        """A driver that hangs is no reason to restart the agent, which tells of it."""
        if not self.turning():
            return web.Response(status=503, text="The agent no longer watches NVML.\n")
        return web.Response(text=f"ok{': ' + trouble if (trouble := self.state.trouble()) else ''}\n")

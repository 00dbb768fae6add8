"""The agent's pages: /reading, /metrics, /kernel for those who may, /healthz for everybody."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus

import msgspec

from bot.agent import metric
from bot.agent.access import Access, shown
from bot.agent.http import Asked, Page
from bot.agent.metrics import families
from bot.agent.state import State
from bot.gpu.reading import read

FRESH_PERIODS = 3
_NOT_WITHOUT = Page(
    b"Not without the agent's token.\n", status=HTTPStatus.UNAUTHORIZED, headers={"WWW-Authenticate": "Bearer"}
)
_NO_SUCH = Page(b"There are /reading, /metrics, /kernel and /healthz.\n", status=HTTPStatus.NOT_FOUND)


@dataclass(frozen=True, slots=True)
class Pages:
    """`turning`: whether the agent itself still works, whatever NVML does."""

    state: State
    access: Access
    period_seconds: float
    kernel_lines: Callable[[], Iterable[str]]
    turning: Callable[[], bool]

    def answer(self, asked: Asked) -> Page:
        if asked.path == "/healthz":
            return self._healthz()
        guarded = {"/reading": self._reading, "/metrics": self._metrics, "/kernel": self._kernel}.get(asked.path)
        if guarded is None:
            return _NO_SUCH
        return guarded() if self.access.allows(shown(asked.headers), certificate=asked.certificate) else _NOT_WITHOUT

    def _reading(self) -> Page:
        return Page(msgspec.json.encode(self.state.as_json()), "application/json; charset=utf-8")

    def _metrics(self) -> Page:
        node = read(msgspec.json.encode(self.state.as_json()), self.state.node)
        text = metric.text(families(node, self.state.age_seconds, FRESH_PERIODS * self.period_seconds))
        return Page(text.encode(), metric.CONTENT_TYPE)

    def _kernel(self) -> Page:
        """Lines of this boot's kernel log that speak of the GPU stack, as `dmesg --time-format iso` would give them."""
        return Page("".join(f"{line}\n" for line in self.kernel_lines()).encode())

    def _healthz(self) -> Page:
        """A driver that hangs is no reason to restart the agent, which tells of it."""
        if not self.turning():
            return Page(b"The agent no longer watches NVML.\n", status=HTTPStatus.SERVICE_UNAVAILABLE)
        return Page(f"ok{': ' + trouble if (trouble := self.state.trouble()) else ''}\n".encode())

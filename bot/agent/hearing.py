"""Xids from both sources and resets, into the ledger; each edge is a line of the agent's log."""

import logging
from datetime import datetime
from typing import Any

from bot.agent.kernel_ear import KernelEar, KernelSign
from bot.agent.kernel_record import Record
from bot.agent.message import Xid
from bot.agent.resets import resets
from bot.agent.xids import Cleared, Edge, Source, Xids
from bot.domain.text import inert

log = logging.getLogger("gpubot.agent")


class Hearing:
    """`kernel.lines` are the messages that speak of the GPU stack."""

    def __init__(self, xids: Xids) -> None:
        self._xids = xids
        self.kernel = KernelEar()

    def record(self, record: Record) -> None:
        if sign := self.kernel.hear(record):
            self._sign(sign)

    def event(self, xid: Xid, at: datetime) -> None:
        edge = self._xids.note(xid.code, xid.bus, at, Source.NVML, uuid=xid.uuid)
        _say(edge, f"Xid {xid.code} on {xid.bus}")

    def readings(self, before: list[dict[str, Any]], after: list[dict[str, Any]], at: datetime) -> None:
        for bus, sign in resets(before, after).items():
            self._say_cleared(self._xids.clear(at, sign, bus))

    def _sign(self, sign: KernelSign) -> None:
        if sign.driver_loaded:
            self._say_cleared(self._xids.clear(sign.at, "the driver was loaded again"))
        elif sign.recovered:
            self._say_cleared(self._xids.clear(sign.at, "the driver asks for no recovery any more", sign.bus))
        else:
            edge = self._xids.note(
                sign.code, sign.bus, sign.at, Source.KERNEL, text=inert(sign.text, 400), switch=sign.switch
            )
            _say(edge, f"{'SXid' if sign.switch else 'Xid'} {sign.code} on {sign.bus}: {inert(sign.text)}")

    @staticmethod
    def _say_cleared(cleared: list[Cleared]) -> None:
        for one in cleared:
            _say(Edge.CLEARED, f"Xid {one.xid.code} on {one.xid.bus}: {one.by}")


def _say(edge: Edge | None, what: str) -> None:
    if edge:
        log.log(logging.INFO if edge is Edge.CLEARED else logging.WARNING, "%s: %s", edge.value, what)

"""Answers that fail on purpose, for tests and for scenarios about the API server itself."""

from __future__ import annotations

from dataclasses import dataclass

from bot.local.cluster.store.errors import ApiError

_REASONS = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    409: "Conflict",
    410: "Expired",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}


@dataclass(slots=True)
class Fault:
    """The next `times` requests under `path_prefix` are answered with `status`."""

    path_prefix: str
    status: int
    times: int


class Faults:
    """The faults that are still to come."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []

    def add(self, path_prefix: str, status: int, times: int) -> None:
        """Plan a fault."""
        self._faults.append(Fault(path_prefix, status, times))

    def clear(self) -> None:
        """Forget all of them."""
        self._faults.clear()

    def strike(self, path: str) -> None:
        """Raise the ApiError that this request was to meet, if any."""
        for fault in self._faults:
            if path.startswith(fault.path_prefix) and fault.times > 0:
                fault.times -= 1
                reason = _REASONS.get(fault.status, "")
                raise ApiError(fault.status, reason, f"injected failure of {path}")

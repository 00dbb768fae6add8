"""Counts what the engine's access log says it answered: a health endpoint may say 200 while every request fails."""

from collections.abc import Iterable
from dataclasses import dataclass

from bot.domain.pattern import Pattern

_ACCESS = Pattern(
    r'"(?P<method>[A-Z]{3,7}) (?P<path>/[^\s"?]{0,200})[^"]{0,2000}?HTTP/[\d.]{1,4}"\s+(?P<status>[1-5]\d\d)'
)
_HEALTH = frozenset(
    {"/health", "/healthz", "/health_generate", "/ping", "/ready", "/readyz", "/livez", "/v2/health/ready"}
)
_ASIDE = frozenset({"/metrics", "/version", "/load", "/docs", "/openapi.json", "/favicon.ico", "/v1/models", "/"})


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers of the HTTP server in the lines that were read. Requests are what is neither health nor information."""

    health_ok: int = 0
    health_failed: int = 0  # 5xx
    ok: int = 0  # requests answered 2xx
    refused: int = 0  # 4xx: the caller's fault
    failed: int = 0  # 5xx
    failed_in_a_row: int = 0  # at the end, refused ones not counted
    health_ok_since: int = 0  # health answers 2xx since the first of that row

    @property
    def fails_while_healthy(self) -> bool:
        """Every request since some moment failed, and the health endpoint went on saying 200."""
        return self.failed_in_a_row >= 2 and self.health_ok_since > 0

    def __bool__(self) -> bool:
        return bool(self.health_ok or self.health_failed or self.ok or self.refused or self.failed)


def count_answers(lines: Iterable[str]) -> Answers:
    """The figures of an access log in the order of its lines (uvicorn's form)."""
    counts = dict.fromkeys(
        ("health_ok", "health_failed", "ok", "refused", "failed", "failed_in_a_row", "health_ok_since"), 0
    )
    for line in lines:
        found = _ACCESS.search(line) if "HTTP/" in line else None
        if found is None or found["path"] in _ASIDE:
            continue
        _count(counts, found["path"] in _HEALTH, int(found["status"]))
    return Answers(**counts)


def _count(counts: dict[str, int], health: bool, status: int) -> None:
    kind = status // 100
    if health:
        counts["health_failed"] += kind == 5
        counts["health_ok"] += kind == 2
        counts["health_ok_since"] += kind == 2 and counts["failed_in_a_row"] > 0
    elif kind == 5:
        counts["failed"] += 1
        counts["failed_in_a_row"] += 1
    elif kind == 2:
        counts.update(ok=counts["ok"] + 1, failed_in_a_row=0, health_ok_since=0)
    else:
        counts["refused"] += kind == 4

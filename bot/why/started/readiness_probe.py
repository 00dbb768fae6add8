"""A running container whose readiness probe fails: what the probe's answer and the program's log mean together."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.answer import Remedy
from bot.domain.event import Event
from bot.domain.pattern import Pattern
from bot.domain.pod import Pod
from bot.serving.reading import Match, Reading
from bot.why.case import Case
from bot.why.containers import Container
from bot.why.finding import Finding
from bot.why.shell import kubectl
from bot.why.started.engine_words import clause, engine_remedies, quoted
from bot.why.started.kubelet_events import times
from bot.why.started.logs import missing, present, reading
from bot.why.started.plain import plain
from bot.why.started.probe import Probe
from bot.why.started.say import clock, delete_pod, of_it, quote

_PREFIX = Pattern(r"Readiness probe (?:failed|errored)[\w ]{0,40}: ")
_NO_PROGRAM = Pattern(r'exec: "([^"]{1,120})": (?:executable file not found|stat .{0,120}no such file)')
_SERVICE = Pattern(r"unknown service ([\w./-]{1,120})")


@dataclass(frozen=True, slots=True)
class Told:
    """`remedy` may be empty. `ours`: the probe is at fault, so the program's log need not be asked."""

    id: str
    words: str
    remedy: str = ""
    ours: bool = False


def failing(case: Case, pod: Pod, one: Container, probe: Probe, event: Event | None) -> Finding:
    asks = f" ({probe.asks})" if probe.asks else ""
    said = _PREFIX.sub("", event.message, count=1) if event else ""
    told = _told(one, probe, said)
    read = reading(present(case, one))
    match = None if told.ours else _fault(read)
    hint = "; ".join(filter(None, (told.words, clause(match) if match else "")))
    return Finding(
        f"probes.readiness-{told.id}",
        f"`{one.name}`{of_it(case)} runs, but its readiness probe{asks} does not pass{f': {hint}' if hint else ''}",
        evidence=tuple(_evidence(case, event, said, read, match)),
        remedies=tuple(_remedies(pod, one, told, read, match)),
        unknown=(
            *filter(None, (missing(case, one),)),
            *(() if event else ("what the probe answers: no event tells it",)),
        ),
    )


def _fault(read: Reading) -> Match | None:
    """What the log says went wrong: its cause, else that the engine died."""
    best = read.cause or (read.matches[0] if read.matches else None)
    return best if best is not None and best.signature.fatal and not best.past else None


def _evidence(case: Case, event: Event | None, said: str, read: Reading, match: Match | None) -> Iterator[str]:
    if event is not None:
        yield f"kubelet{times(event)}, last {clock(case, event.time)}: {quote(said)}"
    if match is not None:
        yield quoted(match)
    elif read.tail:
        yield f"its log ends: {quote(read.tail[-1])}"


def _remedies(pod: Pod, one: Container, told: Told, read: Reading, match: Match | None) -> Iterator[Remedy]:
    if told.remedy:
        yield Remedy(told.remedy)
    if match is not None and match is read.cause:
        yield from engine_remedies(pod, one, read)
    if match is not None and match.signature.restart_helps is not False:
        yield Remedy("Delete the pod: a new one starts afresh", delete_pod(pod), False, "what it still works on")
    yield Remedy("Read its log", kubectl("-n", pod.namespace, "logs", pod.name, "-c", one.name, "--tail=100"))


def _told(one: Container, probe: Probe, said: str) -> Told:
    low, port, asked = said.lower(), one.arguments.port, _number(one, probe.port)
    if port is not None and asked is not None and asked != port and "refused" in low:
        words = f"the engine listens on port {port}, the probe asks port {asked}"
        return Told("wrong-port", words, f"Let the probe ask port {port}", ours=True)
    if found := _NO_PROGRAM.search(said):
        name = plain(found[1])
        remedy = "Probe with `httpGet`, `tcpSocket` or `grpc`, which need nothing in the image"
        return Told("no-program", f"the image has no `{name}`, which the probe runs", remedy, ours=True)
    if "statuscode: 404" in low:
        return Told("wrong-path", "there is no such path (404)", "Correct the path, `/health` for most engines", True)
    if "statuscode: 401" in low or "statuscode: 403" in low:
        remedy = "Probe a path that needs no key, such as `/health`"
        return Told("no-access", "the path wants a key (401 or 403)", remedy, ours=True)
    if probe.how == "grpc" and (told := _grpc(probe, said)) is not None:
        return told
    if "statuscode: 5" in low:
        return Told("unwell", "the program itself says that it is not well")
    if "refused" in low:
        return Told("not-listening", "nothing listens on that port yet")
    if "deadline exceeded" in low or "timeout" in low or "timed out" in low:
        words = f"no answer within {probe.timeout} s"
        return Told("timeout", words, "Raise timeoutSeconds, 10 s or more for a busy engine")
    return Told("fails", quote(said) if said else "")


def _grpc(probe: Probe, said: str) -> Told | None:
    """kubernetes/kubernetes:pkg/probe/grpc/grpc.go"""
    if "does not implement the grpc health protocol" in said:
        words = f"what listens on port {probe.port} does not speak the gRPC health protocol"
        remedy = "Probe with `tcpSocket` or an `httpGet` path, or have the server offer `grpc.health.v1.Health`"
        return Told("no-grpc-health", words, remedy, ours=True)
    if "unknown service" in said or "NotFound" in said:
        found = _SERVICE.search(said)
        words = (
            f"the server knows no health of service `{plain(found[1])}`"
            if found
            else "the server knows no such service"
        )
        return Told("grpc-service", words, "Correct `grpc.service` of the probe, or leave it out", ours=True)
    if "status=" in said or "NOT_SERVING" in said:
        return Told("unwell", "the program itself says that it is not well (NOT_SERVING)")
    return None


def _number(one: Container, port: str) -> int | None:
    """A named port by the container's list."""
    if port.isdecimal():
        return int(port)
    return next((told.number("containerPort") for told in one.spec.each("ports") if told.text("name") == port), None)

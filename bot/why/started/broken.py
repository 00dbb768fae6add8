"""A pod that is Ready and does not work: health endpoints only look at whether the process lives."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.words import count, names
from bot.serving.answers import Answers
from bot.serving.reading import Match, Reading
from bot.why.case import Case
from bot.why.containers import Container
from bot.why.finding import Finding
from bot.why.started.engine_words import clause, quoted
from bot.why.started.gpu_words import node_is_whole, reloads, xids
from bot.why.started.say import delete_pod, of_it

NVML_UNKNOWN = "nvml-unknown-error"
PROGRAM_XIDS = frozenset({13, 31, 43, 45})  # docs.nvidia.com/deploy/xid-errors: application faults, as a rule
IN_A_ROW = 5


def broken(case: Case, pod: Pod, one: Container, read: Reading) -> Iterator[Finding]:
    """Of a running container: its GPU is out of reach, or every request fails beside a good health answer."""
    lost = next((match for match in read.matches if match.signature.id == NVML_UNKNOWN and not match.past), None)
    if lost is not None:
        yield _lost_gpu(case, pod, one, lost)
        return
    answers = read.progress.answers if read.progress else None
    if answers is None:
        return
    if answers.fails_while_healthy or (answers.failed_in_a_row >= IN_A_ROW and read.cause is not None):
        yield _fails(case, pod, one, read)


def _lost_gpu(case: Case, pod: Pod, one: Container, lost: Match) -> Finding:
    """systemd rewrites the device rules of running containers when it reloads (NVIDIA/nvidia-container-toolkit#48)."""
    whole = node_is_whole(case, pod)
    before = [f"{moment:%H:%M}" for moment in reloads(case, pod)]
    others = [other.key for other in _same_node(case, pod)] if before else []
    return Finding(
        "engine.gpu-access-lost",
        f"`{one.name}`{of_it(case)} lost access to its GPU while it runs (NVML says Unknown Error inside)"
        f"{f', though {whole}: GPU and driver are fine' if whole else ''}",
        evidence=(
            quoted(lost),
            *(
                [f"systemd on {pod.node} reloaded its units at {before[-1]}, which rewrites such rules"]
                if before
                else []
            ),
            *([f"may be hit as well, started before it: {names(others)}"] if others else []),
        ),
        remedies=(
            Remedy(
                "Delete the pod: a new container gets the GPU back", delete_pod(pod), False, "what it serves right now"
            ),
            Remedy(
                "For good, on the nodes: create the /dev/char links (`nvidia-ctk system create-dev-char-symlinks`), or "
                "use CDI"
            ),
        ),
        useless=("Nothing is wrong with the hardware or the driver: neither a new GPU nor a new driver would help",),
        unknown=() if whole else (f"whether `nvidia-smi -L` on {pod.node} itself lists all GPUs",),
    )


def _same_node(case: Case, pod: Pod) -> list[Pod]:
    """Pods there with a GPU."""
    from_gpu = (other for other in case.view.on_node(pod.node) if other is not pod and other.phase == "Running")
    return sorted((other for other in from_gpu if any("gpu" in name for name in other.requests)), key=lambda o: o.key)


def _fails(case: Case, pod: Pod, one: Container, read: Reading) -> Finding:
    answers = read.progress.answers if read.progress else Answers()
    why = clause(read.cause) if read.cause else ""
    since = case.detail.text("status", "startTime") or pod.started
    seen = xids(case, pod, since)
    health = (
        ", while its health endpoint says 200: it stays Ready and keeps getting traffic" if answers.health_ok else ""
    )
    return Finding(
        "engine.ready-but-broken",
        f"the last {count(answers.failed_in_a_row, 'request')} to `{one.name}`{of_it(case)} all failed (5xx){health}"
        f"{f': {why}' if why else ''}",
        evidence=(
            *([quoted(read.cause)] if read.cause else []),
            *_xid_words(pod, seen),
        ),
        remedies=(
            Remedy("Delete the pod: a new one starts with a clean GPU context", delete_pod(pod), False),
            Remedy("Probe with a real one-token request, or a health path that does one, so that this shows"),
            Remedy(f"If it comes back on {pod.node}, test its GPUs with `dcgmi diag -r 3`"),
        ),
        useless=("Probes do not see it: `/health` only looks at whether the engine's process lives",),
    )


def _xid_words(pod: Pod, seen: dict[int, int]) -> Iterator[str]:
    for number, times in sorted(seen.items()):
        whose = "mostly the program's own fault at its first time" if number in PROGRAM_XIDS else "see its meaning"
        yield f"kernel log of {pod.node} since the pod began: Xid {number}, {count(times, 'time')}: {whose}"

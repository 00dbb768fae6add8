"""A container that the runtime could not even start: what the words of runc, containerd and NVIDIA's hook mean."""

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.why.containers import Container
from bot.why.finding import Finding
from bot.why.shell import kubectl
from bot.why.started.engine_words import clause, engine_remedies
from bot.why.started.frames import unframed
from bot.why.started.logs import reading
from bot.why.started.plain import plain
from bot.why.started.say import quote

_TABLE = (  # text in the message → id, words, remedy; what bot.serving knows comes first
    ("no such file or directory", "file-missing", "a file it needs is not there", "Correct the command or the mount"),
    (
        "permission denied",
        "not-permitted",
        "it may not execute or open something",
        "Check its user and the file's mode",
    ),
    (
        "CDI device",
        "cdi",
        "the runtime does not know the CDI device of its GPU",
        "Have the node's CDI specification made anew: restart the device plugin's (or toolkit's) pod there, or run "
        "`nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml` on the node",
    ),
    (
        "ifecycle hook",
        "post-start-hook",
        "its postStart hook fails, and the kubelet ends the container for that",
        "Correct the hook: it runs while the program starts, so nothing listens yet; warm up in the program, or after "
        "its startup probe",
    ),
    (
        "PostStartHook",
        "post-start-hook",
        "its postStart hook fails, and the kubelet ends the container for that",
        "Correct the hook: it runs while the program starts, so nothing listens yet; warm up in the program, or after "
        "its startup probe",
    ),
    ("nvidia-container-cli", "nvidia-hook", "NVIDIA's container hook failed", "Look at the node's driver and toolkit"),
    ("is reserved for", "name-taken", "the runtime still holds the name of its last try", "Delete the pod"),
    ("context deadline exceeded", "timeout", "the runtime did not answer in time", "Look at the load of the node"),
)


def cannot_start(pod: Pod, one: Container) -> Finding:
    """The kubelet's message about it: waiting reason RunContainerError, CreateContainerError, StartError."""
    said = one.message or one.ended.text("message")
    read = reading(said)
    what, words, remedy = next(
        ((what, words, remedy) for text, what, words, remedy in _TABLE if text in said),
        ("cannot-start", quote(said) if said else "the kubelet does not say why", ""),
    )
    if read.cause is not None:
        what, words = read.cause.signature.id, clause(read.cause)
    shown = read.cause.line if read.cause is not None else unframed(said)
    return Finding(
        f"crash.{what}",
        f"`{one.name}` cannot be started on {pod.node}: {words}",
        evidence=(f"kubelet, reason `{one.waiting or plain(one.ended.text('reason'))}`: {quote(shown, 300)}",)
        if said
        else (),
        remedies=(
            *engine_remedies(pod, one, read),
            *([Remedy(remedy)] if remedy and read.cause is None else []),
            Remedy("See the pod's events", kubectl("-n", pod.namespace, "describe", "pod", pod.name)),
        ),
    )

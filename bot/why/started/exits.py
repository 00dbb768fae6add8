"""What an exit code says. 128 + n: ended by signal n (signal(7)); engines: section "Exit codes" of their docs."""

from bot.why.containers import Container
from bot.why.started.plain import plain

_CODES = {
    2: "a wrong argument, as a rule",
    126: "the command cannot be executed",
    127: "the command does not exist in the image",
    128: "the container could not be started",
    132: "SIGILL: the CPU lacks an instruction that the program needs",
    134: "SIGABRT: a failed check of the program, or NCCL's watchdog",
    135: "SIGBUS: shared memory too small, as a rule",
    136: "SIGFPE",
    137: "SIGKILL: ended from outside",
    139: "SIGSEGV: the program or a library crashed",
    143: "SIGTERM: asked to end",
}


def exit_words(container: Container) -> str:
    """`exit code 139 (SIGSEGV: …)`; how the run ended where there is no code."""
    code, reason = container.exit_code, plain(container.ended.text("reason"), 60)
    if code is None:
        return f"reason `{reason}`" if reason else "without telling how"
    known = "OOMKilled: its memory limit" if reason == "OOMKilled" else _CODES.get(code)
    return f"exit code {code}" + (f" ({known})" if known else f" ({reason})" if reason not in ("", "Error") else "")

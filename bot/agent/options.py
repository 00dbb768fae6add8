"""What the agent is told at its start: flags, with the environment behind them."""

import argparse
import os
import socket
from dataclasses import dataclass
from pathlib import Path

from bot.domain.errors import ConfigError, UsageError

LISTEN, PERIOD_SECONDS, CALL_SECONDS, DEAR_EACH = "127.0.0.1:9410", 10.0, 7.0, 6
FLAGS = {
    "node": ("NAME", "the node's name in Kubernetes (NODE_NAME; else the host's name)"),
    "listen": ("HOST:PORT", f"where to serve (default {LISTEN})"),
    "token-file": ("FILE", "the bearer token that readers must show"),
    "tls-cert": ("FILE", "serve by TLS with this certificate"),
    "tls-key": ("FILE", "its key"),
    "client-ca": ("FILE", "readers may show a certificate of this authority instead of the token"),
    "period": ("SECONDS", f"between two readings (default {PERIOD_SECONDS:g})"),
    "call-timeout": ("SECONDS", f"an NVML call that lasts longer hangs (default {CALL_SECONDS:g})"),
    "dear-each": ("N", f"ask the dear questions in every n-th reading (default {DEAR_EACH})"),
    "kubelet-socket": ("FILE", "the kubelet's pod-resources socket"),
    "kernel-log": ("FILE", "the kernel's messages (default /dev/kmsg)"),
}


@dataclass(frozen=True, slots=True)
class Options:
    node: str
    host: str
    port: int
    token_file: Path | None
    tls_cert: Path | None
    tls_key: Path | None
    client_ca: Path | None
    period_seconds: float
    call_seconds: float
    dear_each: int
    kubelet_socket: str
    kernel_log: str


def arguments(parser: argparse.ArgumentParser) -> None:
    for name, (metavar, about) in FLAGS.items():
        parser.add_argument(f"--{name}", metavar=metavar, help=about)


def command_line(chosen: argparse.Namespace) -> list[str]:
    """The flags again, for another process."""
    given = ((name, getattr(chosen, name.replace("-", "_"))) for name in FLAGS)
    return [part for name, value in given if value is not None for part in (f"--{name}", value)]


def options(chosen: argparse.Namespace) -> Options:
    """Raises UsageError, ConfigError."""
    host, port = _address(chosen.listen or LISTEN)
    return Options(
        node=chosen.node or os.environ.get("NODE_NAME") or socket.gethostname(),
        host=host,
        port=port,
        token_file=_file(chosen.token_file),
        tls_cert=_file(chosen.tls_cert),
        tls_key=_file(chosen.tls_key),
        client_ca=_file(chosen.client_ca),
        period_seconds=_number("period", chosen.period, PERIOD_SECONDS, 0.05, 600),
        call_seconds=_number("call-timeout", chosen.call_timeout, CALL_SECONDS, 0.05, 600),
        dear_each=int(_number("dear-each", chosen.dear_each, DEAR_EACH, 1, 1000)),
        kubelet_socket=chosen.kubelet_socket or "/var/lib/kubelet/pod-resources/kubelet.sock",
        kernel_log=chosen.kernel_log or "/dev/kmsg",
    )


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65_535:
        raise UsageError(f"--listen wants HOST:PORT, not {text!r}.")
    return host.strip("[]"), int(port)


def _number(name: str, text: str | None, default: float, least: float, most: float) -> float:
    try:
        value = default if text is None else float(text)
    except ValueError:
        raise UsageError(f"--{name} wants a number, not {text!r}.") from None
    if not least <= value <= most:
        raise UsageError(f"--{name} must lie between {least:g} and {most:g}.")
    return value


def _file(text: str | None) -> Path | None:
    if text is None:
        return None
    file = Path(text).expanduser()
    if not file.is_file():
        raise ConfigError(f"There is no file {file}.")
    return file

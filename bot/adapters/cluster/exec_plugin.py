"""Credentials from a command that the kubeconfig names, as cloud providers ship them.

kubernetes/client-go:plugin/pkg/client/auth/exec. The official Python package runs such plugins too, but only logs
their failure and goes on without credentials, keeps a client certificate for ever, and leaves the terminal to them.
"""

import asyncio
import contextlib
import json
import os
from collections.abc import Mapping
from datetime import datetime

import msgspec

from bot.domain.errors import ConfigError

TIMEOUT_SECONDS = 60.0
_LONGEST = 200  # characters of a plugin's own words that are shown


class Credential(msgspec.Struct, rename="camel"):
    """`status` of an ExecCredential: a token, a client certificate in PEM, or both."""

    token: str | None = None
    client_certificate_data: str | None = None
    client_key_data: str | None = None
    expiration_timestamp: datetime | None = None


class _Output(msgspec.Struct):
    status: Credential | None = None


class Variable(msgspec.Struct):
    """One entry of `env`."""

    name: str
    value: str = ""


class Plugin(msgspec.Struct, rename="camel"):
    """`exec` of a user in a kubeconfig. `directory` is where a relative command is looked for."""

    command: str
    api_version: str = "client.authentication.k8s.io/v1"
    args: list[str] | None = None
    env: list[Variable] | None = None
    install_hint: str | None = None
    interactive_mode: str | None = None
    provide_cluster_info: bool = False
    directory: str = ""
    cluster: dict[str, object] | None = None


async def run(plugin: Plugin, *, timeout_seconds: float = TIMEOUT_SECONDS) -> Credential:
    """Run the command and read what it prints. Raises ConfigError with the first line of its complaint."""
    if plugin.interactive_mode == "Always":
        raise ConfigError(f"The exec plugin {plugin.command} wants to ask questions in a terminal; a bot has none.")
    try:
        process = await asyncio.create_subprocess_exec(
            _program(plugin),
            *(plugin.args or ()),
            env=_environment(plugin),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError as error:
        hint = f" {_shown(plugin.install_hint)}" if plugin.install_hint else ""
        raise ConfigError(f"The exec plugin {plugin.command} cannot be run: {error.strerror}.{hint}") from error
    output, complaint = await _finish(process, plugin, timeout_seconds)
    if process.returncode != 0:
        words = _shown(complaint.decode(errors="replace")) or "it says nothing"
        raise ConfigError(f"The exec plugin {plugin.command} failed with status {process.returncode}: {words}")
    return _credential(output, plugin)


async def _finish(process: asyncio.subprocess.Process, plugin: Plugin, timeout_seconds: float) -> tuple[bytes, bytes]:
    try:
        async with asyncio.timeout(timeout_seconds):
            return await process.communicate()
    except TimeoutError as error:
        raise ConfigError(f"The exec plugin {plugin.command} did not end within {timeout_seconds:g} s.") from error
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):  # it ended by itself just now
                process.kill()
            await process.wait()


def _credential(output: bytes, plugin: Plugin) -> Credential:
    try:
        status = msgspec.json.decode(output, type=_Output).status
    except msgspec.DecodeError as error:  # its text would quote nothing, but the cause could: none of it is shown
        raise ConfigError(f"The exec plugin {plugin.command} did not print an ExecCredential.") from error
    if status is None or not (status.token or (status.client_certificate_data and status.client_key_data)):
        raise ConfigError(f"The exec plugin {plugin.command} gave neither a token nor a client certificate with key.")
    return status


def _program(plugin: Plugin) -> str:
    """A command with a slash that is not absolute is relative to its kubeconfig; any other is found in PATH."""
    return os.path.join(plugin.directory, plugin.command) if "/" in plugin.command else plugin.command


def _environment(plugin: Plugin) -> Mapping[str, str]:
    spec: dict[str, object] = {"interactive": False}
    if plugin.provide_cluster_info and plugin.cluster is not None:
        spec["cluster"] = plugin.cluster
    info = {"apiVersion": plugin.api_version, "kind": "ExecCredential", "spec": spec}
    own = {variable.name: variable.value for variable in plugin.env or ()}
    return {**os.environ, **own, "KUBERNETES_EXEC_INFO": json.dumps(info)}


def _shown(text: str) -> str:
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return "".join(letter for letter in first if letter.isprintable())[:_LONGEST]

"""The HTTP side of the Web API: tokens, faults on request, answers in Slack's form."""

from __future__ import annotations

from aiohttp import web

from bot.local.workspace.api import METHODS, Call
from bot.local.workspace.api.auth import APP_TOKEN_METHODS
from bot.local.workspace.api.call import arguments_of
from bot.local.workspace.backend import Backend
from bot.local.workspace.errors import WorkspaceError
from bot.local.workspace.faults import Fault
from bot.local.workspace.messages import Json


class WebApi:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def answer(self, request: web.Request) -> web.Response:
        """/api/{method}: HTTP 200 with `ok` true or false; 429 when rate limited; other statuses only by a fault."""
        name = request.match_info["method"]
        try:
            arguments = await arguments_of(request)
            token = token_of(request, arguments)
            arguments.pop("token", None)
            self._backend.journal.note("in", name, arguments)
            fault = self._backend.faults.take(name)
            if fault is not None:
                return failed(fault)
            self._admit(name, token)
            return web.json_response({"ok": True, **self._call(name, arguments)})
        except WorkspaceError as error:
            return refused(error)

    def _call(self, name: str, arguments: Json) -> Json:
        if name not in METHODS:
            raise WorkspaceError("unknown_method")
        return METHODS[name](Call(self._backend, arguments))

    def _admit(self, name: str, token: str) -> None:
        setup = self._backend.setup
        if not token:
            raise WorkspaceError("not_authed")
        if token not in (setup.bot_token, setup.app_token):
            raise WorkspaceError("invalid_auth")
        if (token == setup.app_token) != (name in APP_TOKEN_METHODS):
            raise WorkspaceError("not_allowed_token_type")


def token_of(request: web.Request, arguments: Json) -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme == "Bearer" else str(arguments.get("token", ""))


def failed(fault: Fault) -> web.Response:
    headers = {} if fault.retry_after_seconds is None else {"Retry-After": str(fault.retry_after_seconds)}
    return web.json_response({"ok": False, "error": fault.error}, status=fault.status, headers=headers)


def refused(error: WorkspaceError) -> web.Response:
    """The answer for an error; places of invalid blocks go into response_metadata, as Slack does."""
    if error.retry_after_seconds is not None:
        return failed(Fault(error.error, 429, error.retry_after_seconds))
    body: Json = {"ok": False, "error": error.error}
    if error.messages:
        body |= {"errors": list(error.messages), "response_metadata": {"messages": list(error.messages)}}
    return web.json_response(body)

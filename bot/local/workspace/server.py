"""The listening side: loopback only, one aiohttp application for the Web API, Socket Mode, answers and the page."""

from __future__ import annotations

import errno
import socket

from aiohttp import web

from bot.local.workspace.backend import Backend
from bot.local.workspace.forms import Forms
from bot.local.workspace.hooks import Hooks
from bot.local.workspace.page import Page, guard, secure
from bot.local.workspace.people import People
from bot.local.workspace.web_api import WebApi

HOST = "127.0.0.1"
MOST_REQUEST_BYTES = 4 * 1024 * 1024


def application(backend: Backend, people: People, forms: Forms) -> web.Application:
    app = web.Application(client_max_size=MOST_REQUEST_BYTES, middlewares=[guard])
    app.on_response_prepare.append(secure)
    app.router.add_route("*", "/api/{method}", WebApi(backend).answer)
    app.router.add_post("/hooks/{secret}", Hooks(backend).answer)
    app.router.add_get("/link/", backend.sockets.link)
    Page(backend, people, forms).add_to(app)
    return app


def listen(port: int) -> tuple[socket.socket, bool]:
    """A listening socket on loopback, and whether the wanted port was taken (then a free one is used)."""
    try:
        return bound(port), False
    except OSError as refusal:
        if refusal.errno != errno.EADDRINUSE:
            raise
        return bound(0), True


def bound(port: int) -> socket.socket:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((HOST, port))
    except OSError:
        sock.close()
        raise
    return sock

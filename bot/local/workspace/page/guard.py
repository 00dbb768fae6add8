"""What keeps other web pages out: only our own host name, only our own origin for what acts, a strict policy."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
OUR_NAMES = ("127.0.0.1", "localhost")
FOR_APPS = ("/api/", "/hooks/", "/link/")


@web.middleware
async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Apps identify themselves by tokens and secrets; for the page, host and origin must be this server's."""
    if not request.path.startswith(FOR_APPS) and not is_ours(request):
        return web.Response(status=403, text="This address belongs to the local workspace only.")
    return await handler(request)


def is_ours(request: web.Request) -> bool:
    """A foreign Host means a rebound name; a foreign Origin or a form's content type another page's request.

    Any port will do in Host: the page may be looked at through a forwarded port.
    """
    if request.host.rpartition(":")[0] not in OUR_NAMES:
        return False
    if request.method in ("GET", "HEAD"):
        return True
    origin = request.headers.get("Origin")
    if origin is not None and origin != f"http://{request.host}":
        return False
    return request.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin" and (
        request.content_type == "application/json"
    )


async def secure(request: web.Request, response: web.StreamResponse) -> None:
    """Headers on every answer, streams included (a signal of aiohttp)."""
    response.headers.update(HEADERS)

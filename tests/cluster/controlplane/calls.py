"""Plain blocking JSON calls to the API server and etcd, for the set-up around tests. Tests use an asyncio client."""

from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
from typing import Any

TIMEOUT_SECONDS = 30


class CallError(Exception):
    """The server refused: `status` is the HTTP code, the message is the server's."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status


def call(url: str, *, method: str = "GET", body: Any = None, token: str = "") -> bytes:
    """The answer's bytes. Raises CallError for an HTTP error, OSError when nobody answers.

    Certificates are not looked at: these calls go to our own children on loopback.
    """
    kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
    headers = {"Content-Type": kind, **({"Authorization": f"Bearer {token}"} if token else {})}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers=headers)
    try:
        with _opener().open(request, timeout=TIMEOUT_SECONDS) as answer:
            return bytes(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            raise CallError(error.code, error.read().decode("utf-8", "replace")) from None


def _opener() -> urllib.request.OpenerDirector:
    """Never through a proxy of the environment."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))

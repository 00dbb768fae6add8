"""Asking a pod through the API server, where the pods' network is out of our reach (kubernetes: pods/proxy, verb get).

The API server takes `Authorization` off whatever it passes on (kubernetes/apiserver:pkg/endpoints/filters/
authentication.go), and shows no client certificate to pods: the agent's token travels in a header of its own.
"""

import asyncio
from urllib.parse import quote

from bot.adapters.cluster.connection import Connection
from bot.adapters.cluster.errors import TROUBLE, RefusedError
from bot.adapters.nodes.access import NodeAccess
from bot.adapters.nodes.asked import Asked, refused
from bot.adapters.nodes.told import LONGEST_WORDS, NotToldError, too_late, too_long
from bot.domain.errors import ConfigError
from bot.domain.text import inert

TOKEN_HEADER = "X-Gpubot-Token"


class Proxied:
    """Asks by the connection that reads the cluster."""

    def __init__(self, connection: Connection, access: NodeAccess, token: str) -> None:
        self._connection, self._access, self._token = connection, access, token

    async def ask(self, asked: Asked, seconds: float) -> bytes:
        """Raises NotToldError."""
        token = self._token if asked.ours else ""
        try:
            async with asyncio.timeout(seconds):
                return await self._body(asked, {"Accept": "*/*"} | ({TOKEN_HEADER: token} if token else {}), seconds)
        except TimeoutError as error:  # aiohttp's own are TimeoutErrors too
            raise too_late(seconds) from error
        except RefusedError as error:
            said = inert(error.message, LONGEST_WORDS)
            if error.reason == "Forbidden":
                raise NotToldError(f"the API server forbids it (get pods/proxy): {said}") from error
            if error.reason == "ServiceUnavailable":
                raise NotToldError(f"the API server cannot reach it: {said}") from error
            raise refused(asked, error.status, error.message, with_token=bool(token)) from error
        except (ConfigError, *TROUBLE) as error:
            raise NotToldError(f"the API server breaks off: {inert(str(error)) or type(error).__name__}") from error

    async def _body(self, asked: Asked, headers: dict[str, str], seconds: float) -> bytes:
        async with self._connection.get(
            _path(asked, self._access), {}, silence_seconds=seconds, stream=True, behind=headers
        ) as answer:
            data = bytearray()
            while chunk := await answer.content.read(2**16):
                data += chunk
                if len(data) > asked.at_most:
                    raise too_long(asked.at_most)
            return bytes(data)


def _path(asked: Asked, access: NodeAccess) -> str:
    place = asked.place
    scheme = "https:" if asked.secure or (asked.ours and access.scheme == "https") else ""
    pod = f"{scheme}{quote(place.pod, safe='')}:{place.port}"
    return f"/api/v1/namespaces/{quote(place.namespace, safe='')}/pods/{pod}/proxy/{asked.page}"

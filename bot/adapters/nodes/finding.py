"""Which pod to ask about a node, and where it listens now.

The view says which pod that is; its address is looked up, for keeping it would cost each of 150,000 pods a field.
"""

from collections.abc import AsyncIterator
from urllib.parse import quote

import msgspec

from bot.adapters.cluster.connection import Connection
from bot.adapters.cluster.errors import TROUBLE, RefusedError
from bot.adapters.cluster.kind import Page
from bot.adapters.nodes.place import AGENT_PORTS, Place, WirePod, place_of
from bot.adapters.nodes.told import LONGEST_WORDS, NotToldError, too_long
from bot.domain.errors import ConfigError
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.view import View

NAME_LABEL, AGENT = "app.kubernetes.io/name", "gpubot-agent"
POD_MAX_BYTES = 2 * 2**20
PAGE_PODS = 500
PAGE_MAX_BYTES = 32 * 2**20
_pod = msgspec.json.Decoder(WirePod)
_page = msgspec.json.Decoder(Page[WirePod])


def agent_of(view: View, node: str, namespace: str) -> Pod:
    """The agent's pod on that node; during a rollout the newest that is not on its way out. Raises NotToldError."""
    if not view.knows("pods"):
        raise NotToldError("no node agent to ask: the cluster's pods are not known")
    found = [pod for pod in view.on_node(node) if pod.namespace == namespace and pod.labels.get(NAME_LABEL) == AGENT]
    live = [pod for pod in found if not pod.finished]
    if not live:
        where = f"no pod of {namespace} there is labelled {NAME_LABEL}={AGENT}"
        raise NotToldError(f"no node agent to ask: {where}")
    best = max(live, key=lambda pod: (pod.phase == "Running", not pod.deleted, pod.created, pod.name))
    if best.phase != "Running":
        raise NotToldError(f"its agent's pod {inert(best.key)} is {inert(best.phase, 20)}")
    return best


async def place(
    connection: Connection, namespace: str, pod: str, names: tuple[str, ...], otherwise: int, seconds: float
) -> Place:
    """Where that pod listens. Raises NotToldError."""
    path = f"/api/v1/namespaces/{quote(namespace, safe='')}/pods/{quote(pod, safe='')}"
    try:
        found = _pod.decode(await _body(connection, path, {}, POD_MAX_BYTES, seconds))
    except RefusedError as error:
        raise _refused(error, f"the pod {inert(pod)}") from error
    except (ConfigError, *TROUBLE, RecursionError) as error:
        raise NotToldError(f"the pod {inert(pod)} cannot be looked up: {inert(str(error)) or 'no answer'}") from error
    known = place_of(found, names, otherwise)
    if known is None:
        raise NotToldError(f"the pod {inert(pod)} has no address")
    return known


async def agents(connection: Connection, namespace: str, otherwise: int, seconds: float) -> dict[str, Place]:
    """Where each node's agent listens, by the node's name, from one list. Raises NotToldError."""
    found: dict[str, tuple[tuple[bool, str], Place]] = {}
    try:
        async for pod in _agents(connection, namespace, seconds):
            known = place_of(pod, AGENT_PORTS, otherwise)
            rank = (not pod.metadata.deletion_timestamp, pod.metadata.creation_timestamp or "")
            if known is not None and known.node and (known.node not in found or found[known.node][0] < rank):
                found[known.node] = rank, known
    except RefusedError as error:
        raise _refused(error, f"pods of {namespace}") from error
    except (ConfigError, *TROUBLE, RecursionError) as error:
        raise NotToldError(f"agents cannot be listed: {inert(str(error)) or 'no answer'}") from error
    return {node: known for node, (_, known) in found.items()}


async def _agents(connection: Connection, namespace: str, seconds: float) -> AsyncIterator[WirePod]:
    path = f"/api/v1/namespaces/{quote(namespace, safe='')}/pods"
    params = {"labelSelector": f"{NAME_LABEL}={AGENT}", "limit": str(PAGE_PODS)}
    while True:
        page = _page.decode(await _body(connection, path, params, PAGE_MAX_BYTES, seconds))
        for pod in page.items or ():
            yield pod
        if not page.metadata.more:
            return
        params = {**params, "continue": page.metadata.more}


async def _body(connection: Connection, path: str, params: dict[str, str], at_most: int, seconds: float) -> bytes:
    async with connection.get(path, params, silence_seconds=seconds) as answer:
        data = bytearray()
        while chunk := await answer.content.read(2**16):
            data += chunk
            if len(data) > at_most:
                raise too_long(at_most)
        return bytes(data)


def _refused(error: RefusedError, what: str) -> NotToldError:
    if error.status == 404:
        return NotToldError(f"{what} {'are' if what.startswith('pods ') else 'is'} not there")
    said = inert(error.message, LONGEST_WORDS) or f"refused with {error.status}"
    return NotToldError(f"{what} may not be looked up: {said}")

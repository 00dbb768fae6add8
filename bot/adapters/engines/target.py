"""Where one engine is asked, from its pod's whole object."""

from dataclasses import dataclass
from typing import Any

from bot.adapters.nodes.asked import Asked
from bot.adapters.nodes.place import Place, is_address
from bot.domain.fields import Fields
from bot.serving.endpoints import Endpoint, endpoints
from bot.serving.engine_pods import Hint


@dataclass(frozen=True, slots=True)
class Target:
    """The first page of metrics of a pod."""

    uid: str
    place: Place
    endpoint: Endpoint

    def asked(self, at_most: int) -> Asked:
        return Asked(
            self.place,
            self.endpoint.path.lstrip("/"),
            ours=False,
            at_most=at_most,
            secure=self.endpoint.scheme == "https",
        )


def target_of(raw: Any, hints: tuple[Hint, ...] = ()) -> Target | None:
    """None where the pod has no address, or says of no container that it is an engine."""
    pod = Fields(raw if isinstance(raw, dict) else {}, "Pod")
    address = pod.text("status", "podIP")
    found = endpoints(pod, hints)
    if not found or not is_address(address):
        return None
    namespace, name = pod.text("metadata", "namespace"), pod.text("metadata", "name")
    place = Place(namespace, name, pod.text("spec", "nodeName"), address, found[0].port)
    return Target(pod.text("metadata", "uid"), place, found[0])

"""What containers ask for, what they come to for their pod, and what else pods of a template share."""

from typing import NamedTuple

import msgspec

from bot.adapters.cluster.wire import WireResources
from bot.domain.pod import Container
from bot.domain.pod_spec import PodSpec, Volume
from bot.domain.quantity import amounts
from bot.domain.record import NO_AMOUNTS, Amounts

_resources = msgspec.json.Decoder(WireResources | None)
_amounts = msgspec.json.Decoder(dict[str, str | int | float] | None)


class Template(NamedTuple):
    """What all pods of a template have in common: one object, so that `is` tells whether two pods ask alike."""

    containers: tuple[Container, ...]
    requests: Amounts  # what the scheduler counts for the pod
    spec: PodSpec
    volumes: tuple[Volume, ...]
    some_are_ephemeral: bool  # then claims are called after each pod


class Asked(NamedTuple):
    """What decides how much one container asks for, as it stood in the JSON.

    `running` and `allocated` are what the kubelet says it was resized to; None where it says nothing. `infeasible`: a
    resize was refused for good, so that the spec does not count.
    """

    resources: bytes
    running: bytes | None = None
    allocated: bytes | None = None
    infeasible: bool = False


def counted(raw: bytes) -> Amounts:
    """A bare map of resources (capacity, overhead, allocatedResources) in whole numbers. Raises QuantityError."""
    return amounts(_amounts.decode(raw) or {}) or NO_AMOUNTS


def requested(asked: Asked) -> Amounts:
    """What one container counts for. Raises QuantityError, msgspec.ValidationError.

    A limit without a request is a request too: kubernetes/kubernetes:pkg/apis/core/v1/defaults.go (SetDefaults_Pod).
    Of what is wanted, running and promised the largest counts, resource by resource, from 1.33 on:
    kubernetes/component-helpers:resource/helpers.go (determineContainerReqs).
    """
    resources = _resources.decode(asked.resources) or WireResources()
    spec = amounts({**(resources.limits or {}), **(resources.requests or {})})
    if asked.running is None:
        return spec or NO_AMOUNTS
    running = _resources.decode(asked.running) or WireResources()
    seen = ({} if asked.infeasible else spec, amounts(running.requests or {}), counted(asked.allocated or b"null"))
    return {name: max(each.get(name, 0) for each in seen) for each in seen for name in each} or NO_AMOUNTS

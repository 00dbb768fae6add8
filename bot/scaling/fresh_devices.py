"""ResourceClaims that would be made for new pods from a ResourceClaimTemplate, and the devices that each would get.

They stand in a copy of the view, so that the scheduler's own search for devices judges them; once a pod has its node,
its claims hold what they were given there, and the next pod finds it taken.
kubernetes/kubernetes:pkg/controller/resourceclaim/controller.go (names, owner); kubernetes/api:resource/v1/types.go
"""

import copy
from collections.abc import Iterable, Iterator

import msgspec

from bot.domain.dra import Constraint, DeviceRequest, DeviceToleration, ResourceClaim
from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.quantity import parsed
from bot.domain.record import Owner
from bot.domain.view import View

EXACT = "ExactCount"
GPU_CLASSES = ("gpu", "mig")


def known(view: View, pod: Pod) -> bool:
    """Whether all templates of its claims were read."""
    return all(_template(view, pod, one.template) for one in pod.spec.claims if one.template)


def with_names(pod: Pod) -> Pod:
    """The pod with the names of the claims that would be made for it."""
    made = tuple((one.name, f"{pod.name}-{one.name}") for one in pod.spec.claims if one.template)
    return msgspec.structs.replace(pod, made_claims=made) if made else pod


def with_devices(view: View, pods: Iterable[Pod]) -> View:
    """A copy that has their claims, and whose claims and holders may be changed (bot.scaling.booking)."""
    asking = [pod for pod in pods if pod.spec.claims]
    if not asking:
        return view
    other = copy.copy(view)
    claims = [claim for pod in asking for claim in _claims(view, pod)]
    other.resourceclaims = {**view.resourceclaims, **{f"{one.namespace}/{one.name}": one for one in claims}}
    other.devices = copy.copy(view.devices)
    other.devices.holders = {device: list(held) for device, held in view.devices.holders.items()}
    return other


def gpus_asked(view: View, pod: Pod) -> int:
    """Devices of classes that are called after GPUs; of several alternatives the first counts."""
    found = (one for claim in _claims(view, with_names(pod)) for one in claim.requests)
    first = (one.alternatives[0] if one.alternatives else one for one in found)
    return sum(one.count for one in first if not one.admin and any(word in one.device_class for word in GPU_CLASSES))


def _template(view: View, pod: Pod, name: str) -> Fields:
    found = view.things("resourceclaimtemplates").get(f"{pod.namespace}/{name}")
    return found.fields.at("spec", "spec", "devices") if found is not None else Fields()


def _claims(view: View, pod: Pod) -> Iterator[ResourceClaim]:
    names = dict(pod.made_claims)
    for one in pod.spec.claims:
        if one.template and one.name in names:
            devices = _template(view, pod, one.template)
            yield ResourceClaim(
                name=names[one.name],
                namespace=pod.namespace,
                owner=Owner("Pod", pod.name),
                requests=tuple(map(_request, devices.each("requests"))),
                constraints=tuple(map(_constraint, devices.each("constraints"))),
            )


def _request(fields: Fields) -> DeviceRequest:
    """Of any API version: v1beta1 has the fields of `exactly` in the request itself."""
    name = fields.text("name")
    if alternatives := tuple(_exact(one.text("name"), one) for one in fields.each("firstAvailable")):
        return DeviceRequest(name, alternatives=alternatives)
    exact = fields.at("exactly") or fields
    return _exact(name, exact) if exact.text("deviceClassName") else DeviceRequest(name, known=False)


def _exact(name: str, fields: Fields) -> DeviceRequest:
    asked = fields.map("capacity", "requests")
    return DeviceRequest(
        name,
        device_class=fields.text("deviceClassName"),
        mode=fields.text("allocationMode") or EXACT,
        count=fields.number("count") or 1,
        admin=fields.flag("adminAccess") is True,
        selectors=tuple(one.text("cel", "expression") for one in fields.each("selectors")),
        tolerations=tuple(
            DeviceToleration(one.text("key"), one.text("operator"), one.text("value"), one.text("effect"))
            for one in fields.each("tolerations")
        ),
        capacity=tuple((key, value) for key, text in sorted(asked.items()) if (value := parsed(text)) is not None),
    )


def _constraint(fields: Fields) -> Constraint:
    named = frozenset(fields.texts("requests"))
    if same := fields.text("matchAttribute"):
        return Constraint(same, requests=named)
    return Constraint(fields.text("distinctAttribute"), distinct=True, requests=named)

"""Whatever objects look like: what can be decoded is judged, and nothing is an exception."""

from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.adapters.cluster import kinds
from bot.domain.view import View
from bot.scheduling.framework import Failure, profile
from bot.scheduling.state import State
from tests.scheduling.filters.objects import a_node

NAMES = ("VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone", "DynamicResources")
PLURALS = (
    "persistentvolumeclaims persistentvolumes storageclasses csinodes csidrivers csistoragecapacities "
    "volumeattachments deviceclasses resourceslices resourceclaims"
).split()
names = st.sampled_from(["a", "b", "n1", ""])
sizes = st.sampled_from(["0", "-1", "1Gi", "1e3", "100E", "x"])
counts = st.integers(-2, 40)
words = st.sampled_from(
    ["In", "NotIn", "Exists", "", "All", "ExactCount", "NoSchedule", "Immediate", "WaitForFirstConsumer"]
)
cel = st.fixed_dictionaries(
    {
        "cel": st.fixed_dictionaries(
            {"expression": st.sampled_from(["", "true", "1", "device.x", "(", "device.driver == 'a'"])}
        )
    }
)
requirement = st.fixed_dictionaries({"key": names, "operator": words, "values": st.lists(names, max_size=2)})
terms = st.fixed_dictionaries(
    {
        "nodeSelectorTerms": st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    "matchExpressions": st.lists(requirement, max_size=2),
                    "matchFields": st.lists(requirement, max_size=1),
                },
            ),
            max_size=2,
        )
    }
)
exact = st.fixed_dictionaries(
    {"deviceClassName": names, "allocationMode": words},
    optional={
        "count": counts,
        "adminAccess": st.booleans(),
        "selectors": st.lists(cel, max_size=2),
        "capacity": st.fixed_dictionaries({"requests": st.dictionaries(names, sizes, max_size=2)}),
    },
)
request = st.fixed_dictionaries(
    {"name": names},
    optional={
        "exactly": exact,
        "firstAvailable": st.lists(st.builds(lambda one, name: one | {"name": name}, exact, names), max_size=2),
    },
)
constraint = st.fixed_dictionaries(
    {}, optional={"matchAttribute": names, "distinctAttribute": names, "requests": st.lists(names, max_size=1)}
)
counters = st.fixed_dictionaries(
    {"counters": st.dictionaries(names, st.fixed_dictionaries({"value": sizes}), max_size=2)},
    optional={"name": names, "counterSet": names},
)
policy = st.fixed_dictionaries(
    {},
    optional={
        "default": sizes,
        "validValues": st.lists(sizes, max_size=2),
        "validRange": st.fixed_dictionaries({}, optional={"min": sizes, "max": sizes, "step": sizes}),
    },
)
device = st.fixed_dictionaries(
    {"name": names},
    optional={
        "attributes": st.dictionaries(
            names,
            st.dictionaries(
                st.sampled_from(["int", "string", "version", "bool", "strings"]),
                st.one_of(counts, names, st.booleans(), st.lists(names, max_size=1)),
                max_size=2,
            ),
            max_size=2,
        ),
        "capacity": st.dictionaries(
            names, st.fixed_dictionaries({"value": sizes}, optional={"requestPolicy": policy}), max_size=2
        ),
        "taints": st.lists(st.fixed_dictionaries({"key": names, "effect": words}), max_size=1),
        "consumesCounters": st.lists(counters, max_size=1),
        "allowMultipleAllocations": st.booleans(),
        "nodeName": names,
        "nodeSelector": terms,
        "bindingConditions": st.lists(names, max_size=1),
    },
)
result = st.fixed_dictionaries(
    {"driver": names, "pool": names, "device": names},
    optional={
        "adminAccess": st.booleans(),
        "shareID": names,
        "consumedCapacity": st.dictionaries(names, sizes, max_size=1),
    },
)
disk = st.fixed_dictionaries(
    {},
    optional={
        "pdName": names,
        "volumeID": st.sampled_from(["a", "aws://", "aws://a/vol-1", "aws://a/x"]),
        "readOnly": st.booleans(),
    },
)
SPECS: dict[str, dict[str, Any]] = {
    "persistentvolumeclaims": {
        "storageClassName": names,
        "volumeName": names,
        "resources": st.fixed_dictionaries({"requests": st.fixed_dictionaries({"storage": sizes})}),
        "accessModes": st.lists(names, max_size=2),
    },
    "persistentvolumes": {
        "capacity": st.fixed_dictionaries({"storage": sizes}),
        "nodeAffinity": st.fixed_dictionaries({"required": terms}),
        "gcePersistentDisk": disk,
        "awsElasticBlockStore": disk,
        "storageClassName": names,
        "claimRef": st.fixed_dictionaries({"name": names}),
    },
    "csinodes": {
        "drivers": st.lists(
            st.fixed_dictionaries({"name": names, "allocatable": st.fixed_dictionaries({"count": counts})}), max_size=2
        )
    },
    "csidrivers": {"storageCapacity": st.booleans()},
    "volumeattachments": {
        "attacher": names,
        "nodeName": names,
        "source": st.fixed_dictionaries({"persistentVolumeName": names}),
    },
    "deviceclasses": {"selectors": st.lists(cel, max_size=1), "extendedResourceName": names},
    "resourceslices": {
        "driver": names,
        "pool": st.fixed_dictionaries({"name": names, "generation": counts, "resourceSliceCount": st.integers(0, 2)}),
        "nodeName": names,
        "allNodes": st.booleans(),
        "nodeSelector": terms,
        "perDeviceNodeSelection": st.booleans(),
        "sharedCounters": st.lists(counters, max_size=1),
        "devices": st.lists(device, max_size=3),
    },
    "resourceclaims": {
        "devices": st.fixed_dictionaries(
            {"requests": st.lists(request, max_size=2), "constraints": st.lists(constraint, max_size=1)}
        )
    },
}
TOP: dict[str, dict[str, Any]] = {
    "storageclasses": {
        "provisioner": names,
        "volumeBindingMode": words,
        "allowedTopologies": st.lists(
            st.fixed_dictionaries({"matchLabelExpressions": st.lists(requirement, max_size=1)}), max_size=1
        ),
    },
    "csistoragecapacities": {
        "storageClassName": names,
        "capacity": sizes,
        "nodeTopology": st.fixed_dictionaries({"matchLabels": st.dictionaries(names, names, max_size=1)}),
    },
    "resourceclaims": {
        "status": st.fixed_dictionaries(
            {
                "allocation": st.fixed_dictionaries(
                    {"devices": st.fixed_dictionaries({"results": st.lists(result, max_size=2)}), "nodeSelector": terms}
                )
            }
        )
    },
}
volume = st.fixed_dictionaries(
    {"name": names},
    optional={
        "persistentVolumeClaim": st.fixed_dictionaries({"claimName": names}),
        "ephemeral": st.just({}),
        "gcePersistentDisk": disk,
        "awsElasticBlockStore": disk,
    },
)
claim_ref = st.fixed_dictionaries(
    {"name": names}, optional={"resourceClaimName": names, "resourceClaimTemplateName": names}
)


@st.composite
def an_object(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    plural = draw(st.sampled_from(PLURALS))
    labels = draw(st.dictionaries(st.sampled_from(["topology.kubernetes.io/zone", "x"]), names, max_size=1))
    notes = draw(
        st.dictionaries(
            st.sampled_from(["pv.kubernetes.io/bind-completed", "volume.kubernetes.io/selected-node"]),
            names,
            max_size=2,
        )
    )
    metadata = {"name": draw(names), "namespace": "default", "labels": labels, "annotations": notes}
    spec = draw(st.fixed_dictionaries({}, optional=SPECS.get(plural, {})))
    return plural, {"metadata": metadata, "spec": spec, **draw(st.fixed_dictionaries({}, optional=TOP.get(plural, {})))}


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(an_object(), max_size=12), st.lists(volume, max_size=2), st.lists(claim_ref, max_size=2))
def test_nothing_is_an_exception(objects: list[Any], volumes: list[Any], claims: list[Any]) -> None:
    view = View("test")
    container = {"name": "m", "resources": {"requests": {"a/b": "1", "deviceclass.resource.kubernetes.io/a": "1"}}}
    pod = {
        "metadata": {"name": "p", "namespace": "default"},
        "spec": {"containers": [container], "volumes": volumes, "resourceClaims": claims},
    }
    for plural, one in [("nodes", a_node(labels={"topology.kubernetes.io/zone": "a"})), ("pods", pod), *objects]:
        try:
            view.put(plural, *kinds.decode(kinds.collect()[plural], msgspec.json.encode(one)))
        except kinds.ObjectError:
            continue
    state = State(view)
    for filter_ in (one for one in profile() if one.name in NAMES):
        waiting = view.pods["default/p"]
        result = filter_.prefilter(waiting, state)
        said = result.rejected
        if said is None and not result.skip and filter_.filter is not None:
            said = filter_.filter(waiting, state.info("n1"), result.data, state)
        assert said is None or (isinstance(said, Failure) and all(said.reasons))
        if said is not None and hasattr(said.detail, "found"):
            said.detail.found()

"""Which releases a wording can be from."""

import pytest

from bot.scheduling.messages import NEWEST, OLDEST, parse

GPU = "0/3 nodes are available: 3 Insufficient nvidia.com/gpu."
TAINT = "0/3 nodes are available: 3 node(s) had untolerated taint"
DRY_RUN = "preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."

RELEASES = [
    pytest.param(GPU, (22, 37), id="words of every release"),
    pytest.param(
        "0/1 nodes are available: 1 node(s) had taint {a: b}, that the pod didn't tolerate.", (22, 23), id="old taint"
    ),
    pytest.param(f"{TAINT} {{a: b}}.", (24, 34), id="taint with its key"),
    pytest.param(f"{TAINT}(s).", (34, 37), id="taint without its key"),
    pytest.param(f"{GPU} {DRY_RUN}", (24, 37), id="a tail"),
    pytest.param(f"{GPU} {DRY_RUN}.", (26, 28), id="a dot after the tail"),
    pytest.param(f"{GPU} no new claims to deallocate, {DRY_RUN}", (26, 37), id="claims in the tail"),
    pytest.param(f"{TAINT}(s). no new claims to deallocate, {DRY_RUN}", (34, 37), id="the narrowest reason counts"),
    pytest.param(
        "0/3 nodes are available: 3 pod has unbound immediate PersistentVolumeClaims.", (22, 26), id="PreFilter counted"
    ),
    pytest.param(
        "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.", (26, 37), id="PreFilter uncounted"
    ),
    pytest.param(
        "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found", (34, 37), id="the slip"
    ),
    pytest.param(
        "0/3 nodes are available: 3 Insufficient cpu. preemption: found a potential placement for pod on node n2, "
        "preempting 1 victims",
        (37, 37),
        id="preemption that says so",
    ),
    pytest.param(
        "0/2 nodes are available: 2 node(s) had volume node affinity conflict.", (22, 32), id="volume, old words"
    ),
    pytest.param(
        "0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity.", (33, 37), id="new words"
    ),
    pytest.param("whatever", (OLDEST, NEWEST), id="unknown words say nothing"),
]


@pytest.mark.parametrize(("text", "first_and_last"), RELEASES)
def test_releases(text: str, first_and_last: tuple[int, int]) -> None:
    releases = parse(text).releases
    assert (releases[0], releases[-1]) == first_and_last


def test_a_mixture_that_no_release_says() -> None:
    said = parse(
        "0/2 nodes are available: 1 node(s) had taint {a: b}, that the pod didn't tolerate, 1 cannot fit resource."
    )
    assert not said.releases


CPU = "1 Insufficient cpu, 1 node(s) were unschedulable"
NOT_HELPFUL = "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
NO_CLAIMS = "no new claims to deallocate"
TYPICAL = {
    22: f"0/2 nodes are available: {CPU}, 1 node(s) had taint {{a: b}}, that the pod didn't tolerate.",
    23: f"0/2 nodes are available: {CPU}, 2 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s).",
    24: f"0/2 nodes are available: {CPU}, 1 node(s) had untolerated taint {{a: b}}. {NOT_HELPFUL}",
    25: f"0/2 nodes are available: 2 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod "
    f"access mode. {NOT_HELPFUL}",
    26: f"0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. {NOT_HELPFUL}.",
    27: f"0/2 nodes are available: {CPU}. {NO_CLAIMS}, {NOT_HELPFUL}.",
    28: "0/1 nodes are available: 1 rejected due to timeout after waiting 10s at plugin Coscheduling.",
    29: 'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
    30: "0/2 nodes are available: 2 excluded by resource class node filter. deallocation of ResourceClaim completed",
    31: f"0/2 nodes are available: 2 cannot allocate all claims. still not schedulable, {NOT_HELPFUL}",
    32: f"0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s) [NodeAffinity]. {NOT_HELPFUL}",
    33: f"0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity. {NOT_HELPFUL}",
    34: "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found",
    35: f"0/2 nodes are available: 1 invalid resource pools were encountered, 1 node(s) had untolerated taint(s). "
    f"still not schedulable, {NOT_HELPFUL}",
    36: f"0/2 nodes are available: 2 node(s) didn't match Pod's required features. {NO_CLAIMS}, {NOT_HELPFUL}",
    37: "0/2 nodes are available: 2 Insufficient cpu. preemption: found a potential placement for pod on node n2, "
    "preempting 1 victims",
}


@pytest.mark.parametrize("minor", range(OLDEST, NEWEST + 1))
def test_each_release_is_understood(minor: int) -> None:
    said = parse(TYPICAL[minor])
    assert str(said) == TYPICAL[minor]
    assert said.unknown == ()
    assert minor in said.releases

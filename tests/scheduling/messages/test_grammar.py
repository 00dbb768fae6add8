"""Taking kube-scheduler's messages apart, release by release."""

import pytest

from bot.scheduling.messages import Reason, parse

Counts = list[tuple[int | None, str, str | None]]  # how many, the text, the plugin

ONLY_BODY = "0/3 nodes are available: 3 Insufficient nvidia.com/gpu."
NOBODY_WEAKER = "0/1 nodes are available: 1 No preemption victims found for incoming pod."


def counts(reasons: tuple[Reason, ...]) -> Counts:
    return [(reason.count, reason.text, reason.plugin) for reason in reasons]


BODIES = [
    pytest.param(
        "0/4 nodes are available: 1 Insufficient cpu, 1 node(s) had taint {virtual-kubelet.io/provider: x}, that the pod "
        "didn't tolerate, 2 node(s) didn't match Pod's node affinity/selector.",
        [
            (1, "Insufficient cpu", "NodeResourcesFit"),
            (1, "node(s) had taint {virtual-kubelet.io/provider: x}, that the pod didn't tolerate", "TaintToleration"),
            (2, "node(s) didn't match Pod's node affinity/selector", "NodeAffinity"),
        ],
        id="1.22: a taint's text has a comma of its own",
    ),
    pytest.param(
        "0/3 nodes are available: 3 node(s) had untolerated taint {a.b/c: }.",
        [(3, "node(s) had untolerated taint {a.b/c: }", "TaintToleration")],
        id="1.24: a taint may have no value",
    ),
    pytest.param(
        "0/12 nodes are available: 10 node(s) were unschedulable, 2 Insufficient nvidia.com/mig-1g.10gb.",
        [
            (10, "node(s) were unschedulable", "NodeUnschedulable"),
            (2, "Insufficient nvidia.com/mig-1g.10gb", "NodeResourcesFit"),
        ],
        id="a resource's name has dots",
    ),
    pytest.param(
        "0/3 nodes are available: 3 pod has unbound immediate PersistentVolumeClaims.",
        [(3, "pod has unbound immediate PersistentVolumeClaims", "VolumeBinding")],
        id="1.25: PreFilter is counted once per node",
    ),
    pytest.param(
        'running PreFilter plugin "VolumeZone": a, 2 b',
        [(None, 'running PreFilter plugin "VolumeZone": a, 2 b', "VolumeZone")],
        id="an error is one reason, whatever is in it",
    ),
    pytest.param(
        'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
        [
            (
                None,
                'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
                "VolumeBinding",
            )
        ],
        id="an error names its plugin",
    ),
    pytest.param(
        "no nodes available to schedule pods",
        [(None, "no nodes available to schedule pods", None)],
        id="a cluster without nodes",
    ),
    pytest.param(
        "0/1 nodes are available: 1 rejected due to timeout after waiting 2m0s at plugin Coscheduling.",
        [(1, "rejected due to timeout after waiting 2m0s at plugin Coscheduling", "Coscheduling")],
        id="Permit's text names its plugin",
    ),
    pytest.param(
        "0/2 nodes are available: 2 GPU memory too small, wanted 80Gi.",
        [(2, "GPU memory too small, wanted 80Gi", None)],
        id="an extension's words are kept, without a plugin",
    ),
    pytest.param(
        "0/2 nodes are available: 2 node(s) had untolerated taint {a: b} and {c: d}.",
        [(2, "node(s) had untolerated taint {a: b} and {c: d}", None)],
        id="what only begins and ends like a known reason is none",
    ),
    pytest.param("0/2 nodes are available:", [], id="no reason at all"),
    pytest.param("0/2 nodes are available: .", [], id="1.22: no reason at all, but a dot"),
    pytest.param("", [], id="nothing"),
    pytest.param(
        "Insufficient nvidia.com/gpu",
        [(None, "Insufficient nvidia.com/gpu", "NodeResourcesFit")],
        id="a single reason, as people paste it",
    ),
    pytest.param(
        "  0/1 nodes are available: 1 Too many pods.\n",
        [(1, "Too many pods", "NodeResourcesFit")],
        id="blanks around do not count",
    ),
]


@pytest.mark.parametrize(("text", "body"), BODIES)
def test_body(text: str, body: Counts) -> None:
    said = parse(text)
    assert counts(said.body) == body
    assert said.tail == ()
    assert str(said) == text.strip()


TAILS = [
    pytest.param(f"{ONLY_BODY} preemption: {NOBODY_WEAKER}.", [], ".", id="1.26 to 1.28 add a dot to the dry run's"),
    pytest.param(f"{ONLY_BODY} preemption: {NOBODY_WEAKER}", [], "", id="1.29 adds none"),
    pytest.param(
        f"{ONLY_BODY} preemption: not eligible due to preemptionPolicy=Never.",
        [("preemption: not eligible due to preemptionPolicy=Never.", "DefaultPreemption")],
        "",
        id="this text ends in a dot of its own",
    ),
    pytest.param(
        f"{ONLY_BODY} preemption: not eligible due to preemptionPolicy=Never..",
        [("preemption: not eligible due to preemptionPolicy=Never.", "DefaultPreemption")],
        ".",
        id="1.26 to 1.28 add a second one",
    ),
    pytest.param(
        f"{ONLY_BODY} preemption: no candidate node for preemption.",
        [("preemption: no candidate node for preemption", "DefaultPreemption")],
        ".",
        id="1.26 to 1.28 add a first one",
    ),
    pytest.param(
        f"{ONLY_BODY} no new claims to deallocate, preemption: {NOBODY_WEAKER}",
        [("no new claims to deallocate", "DynamicResources")],
        "",
        id="1.34: two plugins in a row",
    ),
    pytest.param(
        'pod has unbound immediate PersistentVolumeClaims. preemption: running "X" filter plugin: y, 2 z. w',
        [('preemption: running "X" filter plugin: y, 2 z. w', "DefaultPreemption")],
        "",
        id="an error instead of a dry run",
    ),
    pytest.param(
        'persistentvolumeclaim "data" not found. not found',
        [("not found", "DynamicResources")],
        "",
        id="1.34: the slip after a PreFilter rejection",
    ),
    pytest.param(
        'parsing pod: "a. b" is no label. c. not found',
        [("not found", "DynamicResources")],
        "",
        id="the slip after a reason with dots",
    ),
    pytest.param(
        f"{ONLY_BODY} preemption: {NOBODY_WEAKER}, PodGroup ml/a gets rejected due to Pod a-1 is unschedulable even "
        "after PostFilter",
        [("PodGroup ml/a gets rejected due to Pod a-1 is unschedulable even after PostFilter", "Coscheduling")],
        "",
        id="a plugin from elsewhere after preemption",
    ),
    pytest.param(
        f"{ONLY_BODY} PodGroup ml/a gets rejected due to Pod a-1 is unschedulable even after PostFilter",
        [("PodGroup ml/a gets rejected due to Pod a-1 is unschedulable even after PostFilter", "Coscheduling")],
        "",
        id="a plugin from elsewhere alone",
    ),
    pytest.param(f"{ONLY_BODY} try later", [("try later", None)], "", id="a tail that nobody knows"),
    pytest.param(f"{ONLY_BODY} Try. Later.", [("Try. Later", None)], ".", id="a tail that nobody knows, with dots"),
    pytest.param(
        "0/3 nodes are available: preemption: no candidate node for preemption",
        [("preemption: no candidate node for preemption", "DefaultPreemption")],
        "",
        id="a tail without a body",
    ),
]


@pytest.mark.parametrize(("text", "reasons", "end"), TAILS)
def test_tail(text: str, reasons: list[tuple[str, str | None]], end: str) -> None:
    text = text if text.startswith("0/") else f"0/3 nodes are available: {text}"
    said = parse(text)
    assert [(one.text, one.plugin) for one in said.tail if isinstance(one, Reason)] == reasons
    assert said.end == end
    assert all(reason.known for reason in said.body)
    assert str(said) == text


def test_dry_run_counts_nodes_anew() -> None:
    said = parse(
        "0/3 nodes are available: 3 Insufficient example.com/toygpu. no new claims to deallocate, preemption: 0/3 nodes "
        "are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling."
    )
    assert said.dry_run is not None
    assert (said.dry_run.available, said.dry_run.total) == (0, 3)
    assert counts(said.dry_run.body) == [
        (1, "No preemption victims found for incoming pod", "DefaultPreemption"),
        (2, "Preemption is not helpful for scheduling", "DefaultPreemption"),
    ]


PARTS = [
    pytest.param("3 Insufficient nvidia.com/gpu", {"resource": "nvidia.com/gpu"}, id="resource"),
    pytest.param("3 node(s) had untolerated taint {a/b: c}", {"key": "a/b", "value": "c"}, id="taint"),
    pytest.param("3 node(s) had taint {a: }, that the pod didn't tolerate", {"key": "a"}, id="taint without a value"),
    pytest.param('persistentvolumeclaim "data" is being deleted', {"claim": "data"}, id="volume claim"),
    pytest.param(
        'persistentvolumeclaim "data" bound to non-existent persistentvolume "pv-1"',
        {"claim": "data", "volume": "pv-1"},
        id="volume",
    ),
    pytest.param(
        "2 ebs.csi.aws.com CSI driver is not installed on the node", {"driver": "ebs.csi.aws.com"}, id="driver"
    ),
    pytest.param(
        "request gpu/large: device class big does not exist",
        {"request": "gpu/large", "class": "big"},
        id="device class",
    ),
    pytest.param("8 node(s) didn't satisfy plugin(s) [NodeAffinity]", {"plugin": "NodeAffinity"}, id="one plugin"),
    pytest.param(
        "node(s) didn't satisfy plugin(s) [NodeAffinity Other] simultaneously",
        {"plugins": "NodeAffinity Other"},
        id="several plugins",
    ),
]


@pytest.mark.parametrize(("body", "parts"), PARTS)
def test_what_varies_is_data(body: str, parts: dict[str, str]) -> None:
    (reason,) = parse(f"0/3 nodes are available: {body}.").body
    assert dict(reason.parts) == parts


RESOLVABLE = [
    pytest.param("Insufficient nvidia.com/gpu", None, id="a node may be full or too small"),
    pytest.param("Too many pods", True, id="a pod may go"),
    pytest.param("node(s) had untolerated taint(s)", False, id="a taint stays"),
    pytest.param("cannot allocate all claims", False, id="nobody is evicted for devices"),
    pytest.param("node(s) didn't match pod anti-affinity rules", True, id="the neighbour may go"),
    pytest.param("node(s) didn't match pod affinity rules", False, id="evicting brings no neighbour"),
    pytest.param("something else", None, id="unknown words"),
]


@pytest.mark.parametrize(("text", "resolvable"), RESOLVABLE)
def test_whether_evicting_may_help(text: str, resolvable: bool | None) -> None:
    assert parse(f"0/1 nodes are available: 1 {text}.").body[0].resolvable is resolvable


CUTS = [
    pytest.param(
        "0/9 nodes are available: 4 Too many pods, 5 Insufficient nvidia.com/gp ...",
        ["Too many pods"],
        ["Insufficient nvidia.com/gp"],
        id="half a resource is not taken for another one",
    ),
    pytest.param(
        "0/9 nodes are available: 9 Too many pods. no new claims to deallocate, preemption: 0/9 nodes are available: 4 "
        "Too many pods, 5 Preempt ...",
        ["Too many pods", "no new claims to deallocate", "Too many pods"],
        ["Preempt"],
        id="in the dry run",
    ),
    pytest.param(
        "0/9 nodes are available: 9 Too many pods. preemption: 0/9 nodes ar ...",
        ["Too many pods"],
        ["preemption: 0/9 nodes ar"],
        id="in the tail's opening",
    ),
    pytest.param("0/9 nodes are available: ...", [], [], id="before the body"),
]


@pytest.mark.parametrize(("text", "whole", "half"), CUTS)
def test_cut_event(text: str, whole: list[str], half: list[str]) -> None:
    said = parse(text)
    assert said.truncated
    assert [reason.text for reason in said.reasons if not reason.cut] == whole
    assert [reason.text for reason in said.reasons if reason.cut] == half
    assert [reason.text for reason in said.unknown] == half
    assert str(said) == text

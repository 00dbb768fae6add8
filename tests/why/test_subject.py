"""Words become the things that are meant: exact names before prefixes, owners for their pods, nothing for nothing."""

import pytest

from bot.domain.errors import NotFoundError, UpstreamError
from bot.domain.record import Owner
from bot.domain.view import View
from bot.domain.workload import Namespace
from bot.why.answering import subjects
from bot.why.question import Question
from bot.why.subject import Subject, find, of_thing
from tests.factories import a_node, a_pod
from tests.why.builders_fleet import a_view_of, a_waiting, a_zonal_claim, an_asked
from tests.why.builders_owners import a_deployment, a_member, a_replicaset, a_thing

GLM = a_deployment("glm", replicas=2)
GLM_NEW = a_replicaset(GLM, "glm-6d")
SET = a_thing("StatefulSet", "vllm", spec={"replicas": 2})
JOB = a_thing("Job", "train-7", "train", spec={"parallelism": 2})
WORKLOAD = a_thing("Workload", "job-train-7-ab12", "train", owner=JOB)
LWS = a_thing("LeaderWorkerSet", "big", spec={"replicas": 1})
LABEL = {"leaderworkerset.sigs.k8s.io/name": "big"}
WORKERS = a_thing("StatefulSet", "big-0", owner=a_thing("Pod", "big-0"))
THINGS = (
    GLM,
    GLM_NEW,
    a_member(GLM_NEW, "glm-6d-aaaaa"),
    a_member(GLM_NEW, "glm-6d-bbbbb", node=""),
    SET,
    a_member(SET, "vllm-0"),
    a_member(SET, "vllm-1"),
    JOB,
    WORKLOAD,
    a_member(JOB, "train-7-x"),
    LWS,
    a_pod("big-0", uid="uid-Pod-llm-big-0", labels=LABEL, owner=Owner("StatefulSet", "big", "uid-of-leaders")),
    WORKERS,
    a_member(WORKERS, "big-0-1", labels=LABEL),
    a_thing("PodGroup", "gang", "train"),
    a_pod("g-1", namespace="train", labels={"scheduling.x-k8s.io/pod-group": "gang"}),
    a_thing("ClusterQueue", "team-a", ""),
    a_thing("CronJob", "nightly", "train"),
    *a_zonal_claim("zone-a"),
    a_node("gpu-1"),
    a_node("gpu-2"),
    Namespace(name="llm"),
    Namespace(name="train"),
    Namespace(name="job"),
    a_pod("twin", namespace="llm"),
    a_pod("twin", namespace="train"),
    a_pod("run", namespace="job"),
)
VIEW = a_view_of(*THINGS)
FOUND = [
    ("vllm-0", ["llm/vllm-0"], "a pod by its name"),
    ("vllm", ["statefulset/llm/vllm"], "an owner by its name, its pods left out"),
    ("llm/vllm-1", ["llm/vllm-1"], "namespace and name"),
    ("train/vllm-1", [], "a name in another namespace"),
    ("pod/vllm-0", ["llm/vllm-0"], "kind and name"),
    ("pods/llm/vllm-0", ["llm/vllm-0"], "kind, namespace and name"),
    ("POD/vllm-0", ["llm/vllm-0"], "a kind in capitals"),
    ("pod/vllm", ["llm/vllm-0", "llm/vllm-1"], "the beginning of names of pods"),
    ("deployment/glm", ["deployment/llm/glm"], "a Deployment"),
    ("deploy/glm", ["deployment/llm/glm"], "by its short name"),
    ("deployments.apps/glm", ["deployment/llm/glm"], "as kubectl prints it"),
    ("glm", ["deployment/llm/glm"], "a Deployment by its bare name"),
    ("glm-6", ["llm/glm-6d-aaaaa", "llm/glm-6d-bbbbb"], "pods by the beginning before owners by it"),
    ("glm-6d", ["replicaset/llm/glm-6d"], "a ReplicaSet by its name"),
    ("rs/glm-6d", ["replicaset/llm/glm-6d"], "a ReplicaSet by kind"),
    ("job/train-7", ["job/train/train-7"], "a Job"),
    ("train-7", ["job/train/train-7"], "a Job by its bare name"),
    ("workload/job-train-7-ab12", ["workload/train/job-train-7-ab12"], "a queue's workload"),
    ("job-train", ["workload/train/job-train-7-ab12"], "the beginning of an owner's name where no pod has it"),
    ("big", ["lws/llm/big"], "a group of groups"),
    ("lws/big", ["lws/llm/big"], "by its short name"),
    ("big-0", ["llm/big-0"], "a leader before the worker set that bears its name"),
    ("sts/big-0", ["statefulset/llm/big-0"], "that worker set by its kind"),
    ("podgroup/gang", ["podgroup/train/gang"], "a gang"),
    ("cronjob/nightly", ["cronjob/train/nightly"], "an owner without pods"),
    ("clusterqueue/team-a", ["clusterqueue/team-a"], "a queue by its kind"),
    ("team-a", [], "a queue only by its kind"),
    ("pvc/weights", ["pvc/llm/weights"], "a claim"),
    ("weights", ["pvc/llm/weights"], "a claim by its bare name"),
    ("node/gpu-1", ["node/gpu-1"], "a node"),
    ("gpu-1", ["node/gpu-1"], "a node by its bare name"),
    ("gpu", ["node/gpu-1", "node/gpu-2"], "the beginning of nodes' names"),
    ("twin", ["llm/twin", "train/twin"], "one name in two namespaces"),
    ("job/run", ["job/run"], "a namespace that is called like a kind"),
    ("/vllm-0/", ["llm/vllm-0"], "slashes around"),
    ("nothing", [], "nothing"),
    ("service/glm", [], "a kind that is not asked about"),
    ("a/b/c/d", [], "too many parts"),
]


@pytest.mark.parametrize(("word", "typed"), [pytest.param(word, typed, id=id_) for word, typed, id_ in FOUND])
def test_a_word_means(word: str, typed: list[str]) -> None:
    assert [one.typed for one in find(VIEW, word)] == typed


def chosen(word: str, **options: str) -> list[str]:
    return [one.typed for one in subjects(an_asked(Question(word), *THINGS, **options))]


@pytest.mark.parametrize(
    ("word", "typed"),
    [
        pytest.param("pod/vllm", ["statefulset/llm/vllm"], id="pods of one set are the set"),
        pytest.param("glm-6", ["deployment/llm/glm"], id="pods of a ReplicaSet are its Deployment"),
        pytest.param("twin", ["llm/twin", "train/twin"], id="pods of nobody stay apart"),
        pytest.param("big-0", ["llm/big-0"], id="a leader that bears its worker set's name is the pod"),
    ],
)
def test_of_several_that_belong_together_their_owner_is_meant(word: str, typed: list[str]) -> None:
    assert chosen(word) == typed


def test_the_namespace_can_be_an_option() -> None:
    assert chosen("twin", namespace="train") == ["train/twin"]


def test_siblings_whose_owner_is_not_known_are_told_by_the_worst_of_them() -> None:
    owner = Owner("PyTorchJob", "torch", "uid-torch")
    pods = (a_pod("torch-0", owner=owner), a_waiting("torch-1", owner=owner))
    assert [one.typed for one in subjects(an_asked(Question("torch"), *pods))] == ["llm/torch-1"]


def test_a_circle_of_owners_ends() -> None:
    one = a_thing("StatefulSet", "one", owner=a_thing("StatefulSet", "two"))
    two = a_thing("StatefulSet", "two", owner=one)
    asked = an_asked(Question("pod/p"), one, two, a_member(one, "p-0"), a_member(one, "p-1"))
    assert len(subjects(asked)) == 1


@pytest.mark.parametrize(
    ("thing", "pods"),
    [
        pytest.param(GLM, ["glm-6d-aaaaa", "glm-6d-bbbbb"], id="of a Deployment, through its ReplicaSets"),
        pytest.param(WORKLOAD, ["train-7-x"], id="of a queue's workload, those of its job"),
        pytest.param(LWS, ["big-0", "big-0-1"], id="of a LeaderWorkerSet, leaders and workers"),
        pytest.param(a_thing("PodGroup", "gang", "train"), ["g-1"], id="of a gang, those that name it"),
        pytest.param(a_thing("CronJob", "nightly", "train"), [], id="of an owner that has none"),
        pytest.param(a_thing("Deployment", "glm", uid=""), [], id="of an owner without a uid, none by guess"),
    ],
)
def test_an_owner_has_these_pods(thing: object, pods: list[str]) -> None:
    assert [pod.name for pod in of_thing(VIEW, thing).pods] == pods  # type: ignore[arg-type]


REFUSALS = [
    ("glm-9", (a_waiting("glm-0"),), "Did you mean `/why glm-0`? Waiting now: llm/glm-0.", "the nearest name"),
    ("zzz", (a_waiting("glm-0"),), "Waiting now: llm/glm-0. Try `/why llm/glm-0`.", "nothing near"),
    ("zzz", (), "Nothing waits now. Try `/why pending`.", "nothing waits"),
    ("zzz", tuple(a_waiting(f"p-{n}") for n in range(6)), "llm/p-3 and 2 more.", "many wait"),
    ("gpu-9", (a_node("gpu-1"),), "`/why gpu-1`", "a node is near"),
    ("x`<!channel>`y", (), "Nothing here is called “x'‹!channel>'y”.", "hostile words"),
]


@pytest.mark.parametrize(
    ("word", "records", "says"), [pytest.param(word, records, says, id=id_) for word, records, says, id_ in REFUSALS]
)
def test_who_is_not_there_is_said_with_the_nearest(word: str, records: tuple[object, ...], says: str) -> None:
    with pytest.raises(NotFoundError) as refusal:
        subjects(an_asked(Question(word), *records))
    assert says in str(refusal.value)


def test_where_pods_could_not_be_read_nobody_is_said_to_be_missing() -> None:
    with pytest.raises(UpstreamError) as failure:
        subjects(an_asked(Question("glm-0"), unread=("pods",)))
    assert "cannot be told: pods could not be read (needs `list pods`)" in str(failure.value)


@pytest.mark.parametrize(
    ("subject", "title", "typed"),
    [
        pytest.param(find(VIEW, "vllm-0")[0], "llm/vllm-0", "llm/vllm-0", id="a pod"),
        pytest.param(find(VIEW, "lws/big")[0], "leaderworkerset llm/big", "lws/llm/big", id="an owner"),
        pytest.param(find(VIEW, "pvc/weights")[0], "claim llm/weights", "pvc/llm/weights", id="a claim"),
        pytest.param(find(VIEW, "gpu-1")[0], "node gpu-1", "node/gpu-1", id="a node"),
    ],
)
def test_a_subject_is_called_and_typed(subject: Subject, title: str, typed: str) -> None:
    assert (subject.title, subject.typed) == (title, typed)
    assert find(VIEW, subject.typed) == [subject]


def test_an_empty_view_has_nobody() -> None:
    assert find(View("empty"), "glm-0") == []

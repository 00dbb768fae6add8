"""Which commands of remedies are changes that gpubot can plan: known word for word, and nothing besides."""

import pytest

from bot.changes.fixing import fix_of
from bot.domain.answer import Remedy


@pytest.mark.parametrize(
    ("command", "kind", "arguments"),
    [
        pytest.param("kubectl uncordon gpu-1", "uncordon", {"node": "gpu-1"}, id="uncordon"),
        pytest.param("kubectl cordon gpu-1", "cordon", {"node": "gpu-1"}, id="cordon"),
        pytest.param(
            "kubectl drain gpu-1 --ignore-daemonsets --delete-emptydir-data", "drain", {"node": "gpu-1"}, id="drain"
        ),
        pytest.param("kubectl drain gpu-1 --force", "", {}, id="a drain by force is for people"),
        pytest.param(
            "kubectl -n llm delete pod glm-0", "delete", {"namespace": "llm", "name": "glm-0"}, id="delete a pod"
        ),
        pytest.param("kubectl -n llm delete pod glm-0 --force --grace-period=0", "", {}, id="by force is for people"),
        pytest.param("kubectl -n llm delete pvc data", "", {}, id="a claim is for people"),
        pytest.param(
            "kubectl -n llm rollout restart deployment/glm",
            "restart",
            {"kind": "Deployment", "namespace": "llm", "name": "glm"},
            id="restart",
        ),
        pytest.param(
            "kubectl -n llm scale deployment/glm --replicas=1",
            "scale",
            {"kind": "Deployment", "namespace": "llm", "name": "glm", "replicas": "1"},
            id="scale",
        ),
        pytest.param(
            "kubectl -n llm scale leaderworkersets.leaderworkerset.x-k8s.io big --replicas=2",
            "scale",
            {"kind": "LeaderWorkerSet", "namespace": "llm", "name": "big", "replicas": "2"},
            id="scale groups, as /why writes it",
        ),
        pytest.param("kubectl scale deployment/glm --replicas=-1", "", {}, id="scale to fewer than none"),
        pytest.param("kubectl scale deployment/glm --replicas=1 --all", "", {}, id="scale with an option more"),
        pytest.param("kubectl scale deployment --all --replicas=0", "", {}, id="scale everything"),
        pytest.param("kubectl scale node/gpu-1 --replicas=0", "", {}, id="scale what has no replicas"),
        pytest.param("kubectl scale", "", {}, id="scale nothing"),
        pytest.param("kubectl get pods; rm -rf /", "", {}, id="a shell line"),
        pytest.param("kubectl uncordon gpu-1 gpu-2", "", {}, id="two nodes"),
        pytest.param("kubectl uncordon 'gpu-1", "", {}, id="a quote without its partner"),
        pytest.param("systemctl reboot", "", {}, id="no kubectl"),
        pytest.param("", "", {}, id="no command"),
    ],
)
def test_a_command_as_a_change(command: str, kind: str, arguments: dict[str, str]) -> None:
    found = fix_of(Remedy("Do it", command))
    assert (found.kind, dict(found.arguments)) == (kind, arguments)
    assert len(found.id) == 6

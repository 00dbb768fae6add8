"""Whether its pods may run on the nodes: taints that GPU pods usually tolerate, and those that keep nodes for others.

Taints that Kubernetes sets itself come and go with a node's state: they are the point of room.
"""

from bot.deploying.candidate import Room
from bot.deploying.points.point import Asked, Ground, Told
from bot.domain.node import Taint
from bot.domain.words import count, names

_HARD = ("NoSchedule", "NoExecute")
_OWN = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "karpenter.sh/")
_SHOWN = 3


def judge(ground: Ground) -> Told:
    pool = ground.manifests.draft.pool
    nodes = [ground.view.nodes[name] for name in pool.nodes if name in ground.view.nodes]
    if not nodes:
        return Told(None, "which taints its nodes have: they were not read")
    others = [[one for one in node.taints if _keeps_off(one, pool.taints)] for node in nodes]
    keys = sorted({f"`{one.key}`" for found in others for one in found})
    kept = sum(1 for found in others if found)
    if kept == len(nodes) and ground.candidate.room is not Room.AUTOSCALER:
        says = f"all {count(len(nodes), 'node')} of {pool.title} are kept for others ({names(keys, _SHOWN)})"
        return Told(False, says, "Choose other nodes (`gpu=`, `pool=`), or ask whoever keeps them")
    marked = names([f"`{key}`" for key in pool.taints], _SHOWN)
    usual = f"its pods tolerate {marked}" if marked else "its nodes have no taints"
    rest = f"; {kept} of {len(nodes)} nodes are kept for others ({names(keys, _SHOWN)})" if kept else ""
    return Told(True, f"{usual}{rest}")


def _keeps_off(taint: Taint, tolerated: tuple[str, ...]) -> bool:
    if taint.effect not in _HARD or taint.key.startswith(_OWN):
        return False
    return taint.effect != "NoSchedule" or taint.key not in tolerated


POINT = Asked(78, "taints", "Taints", judge, page=__doc__ or "")

"""Whether containers get their GPUs: by a RuntimeClass for them, or by nodes whose usual runtime gives them."""

from bot.deploying.points.point import Asked, Ground, Told
from bot.domain.pod import Pod


def _plainly_runs(pod: Pod) -> bool:
    return pod.phase == "Running" and not pod.runtime_class


def judge(ground: Ground) -> Told:
    draft, named = ground.manifests.draft, ground.manifests.runtime_class
    if named:
        return Told(True, f"RuntimeClass `{named}` is there, and its pods name it")
    if not ground.view.knows("runtimeclasses"):
        return Told(None, "whether GPUs need a RuntimeClass: they were not read", "`kubectl get runtimeclasses`")
    pods = (pod for name in draft.pool.nodes for pod in ground.view.on_node(name))
    user = next((pod for pod in pods if pod.requests.get(draft.pool.resource) and _plainly_runs(pod)), None)
    if user is not None:  # one is enough: all would be a look at every pod of a large fleet
        return Told(True, f"{user.key} uses GPUs there without a RuntimeClass")
    return Told(
        None,
        "whether its nodes' usual runtime gives GPUs: no RuntimeClass `nvidia` is there, and no pod there uses one",
        f"`/gpu preflight {draft.pool.nodes[0]}`",
    )


POINT = Asked(75, "runtime", "Container runtime", judge, page=__doc__ or "")

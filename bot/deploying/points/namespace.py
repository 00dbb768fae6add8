"""Whether the namespace is there and stays."""

from bot.deploying.points.point import Asked, Ground, Told
from bot.grammar import nearest


def judge(ground: Ground) -> Told:
    name, view = ground.namespace, ground.view
    if not view.knows("namespaces"):
        return Told(None, f"whether namespace `{name}` is there: namespaces were not read", f"`kubectl get ns {name}`")
    if name not in view.namespaces:
        close = nearest(name, sorted(view.namespaces))
        hint = f"type `namespace={close}`, or make it" if close else "make it"
        return Told(False, f"there is no namespace `{name}`", f"{hint}: `kubectl create namespace {name}`")
    return Told(True, f"namespace `{name}` is there")


POINT = Asked(10, "namespace", "Namespace", judge, page=__doc__ or "")

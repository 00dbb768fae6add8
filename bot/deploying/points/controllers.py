"""Whether the cluster knows the kinds asked for besides: of KEDA, of a Prometheus operator, of the Gateway API."""

from bot.deploying.points.point import Asked, Ground, Told
from bot.domain.source import Reading
from bot.domain.words import names

_KEDA = "ScaledObject"
_CRDS = {
    _KEDA: "scaledobjects.keda.sh",
    "ServiceMonitor": "servicemonitors.monitoring.coreos.com",
    "HTTPRoute": "httproutes.gateway.networking.k8s.io",
}


def judge(ground: Ground) -> Told | None:
    asked = [kind for kind in _CRDS if ground.candidate.rendering.of(kind) is not None]
    if not asked:
        return None
    source = ground.view.source("scaledobjects")
    if _KEDA in asked and source.reading is Reading.ABSENT:
        return Told(
            False, "KEDA is not installed, and `autoscale` goes by it", "Install https://keda.sh, or leave it out"
        )
    unsure = [kind for kind in asked if kind != _KEDA or not source.known]
    if unsure:
        look = " ".join(_CRDS[kind] for kind in unsure)
        return Told(
            None, f"whether the cluster knows {names(unsure)}", f"The dry run tells, or `kubectl get crd {look}`"
        )
    return Told(True, "KEDA is there")


POINT = Asked(55, "controllers", "Other controllers", judge, page=__doc__ or "")

"""Taints against tolerations: kubernetes/component-helpers:scheduling/corev1/helpers.go."""

from collections.abc import Iterable

from bot.domain.node import Taint
from bot.domain.pod_spec import Toleration


def tolerated(taint: Taint, tolerations: Iterable[Toleration]) -> bool:
    return any(toleration.tolerates(taint) for toleration in tolerations)


def untolerated(taints: Iterable[Taint], tolerations: tuple[Toleration, ...]) -> Taint | None:
    """The first taint that keeps the pod away: PreferNoSchedule never does."""
    return next((taint for taint in taints if taint.blocks and not tolerated(taint, tolerations)), None)

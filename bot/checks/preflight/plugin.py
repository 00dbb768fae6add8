"""The device plugin runs, and so do the parts that it needs: by a GPU operator, a plain DaemonSet or the provider."""

from bot.checks.preflight.ground import Ground, runs
from bot.checks.preflight.point import Outcome, Point
from bot.domain.pod import Pod
from bot.domain.words import count, names
from bot.gpu.stack.link import Link
from bot.gpu.stack.manager import By, manager

_OFFERS = (Link.DEVICE_PLUGIN, Link.DRA_DRIVER)


def judge(ground: Ground) -> Outcome:
    sight = ground.scene.sight
    if not sight.view.knows("pods"):
        return ground.unknown("pods.unread", "has a device plugin or none: pods were not read")
    managed = manager(sight)
    there = [pod for link in _OFFERS for pod in sight.links.get(link, ())]
    if there and not any(runs(pod) for pod in there):
        return ground.unknown(
            "plugin.starting", f"has its device plugin {there[0].key}, which does not run", managed.told
        )
    if there:
        return _running(ground, next(pod for pod in there if runs(pod)), managed.told)
    if managed.by is By.PROVIDER and sight.offered:
        return ground.ok("gets its GPUs registered by its provider", managed.told)
    return ground.unknown(
        "plugin.unseen",
        "has no device plugin's pod, so nobody would register its GPUs after the next restart of the kubelet"
        if sight.offered
        else "has no device plugin's pod, and offers no GPU",
        managed.told,
    )


def _running(ground: Ground, pod: Pod, managed: str) -> Outcome:
    parts = [one for pods in ground.scene.sight.links.values() for one in pods]
    held = [one.key for one in parts if not runs(one)]
    return ground.ok(
        f"has {pod.key} running, which registers its GPUs",
        managed,
        f"{count(len(parts) - len(held), 'part')} of {len(parts)} run",
        notes=[f"{ground.name}'s {names(held)} do not run, which are not needed to hand out GPUs"] if held else (),
    )


POINT = Point(3, "plugin", "device plugin and operator run", True, judge, __doc__ or "")

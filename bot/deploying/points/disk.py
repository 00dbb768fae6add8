"""Whether nodes have room for the image, some 30 GB unpacked."""

from bot.deploying.points.point import Asked, Ground, Told

_IMAGE_BYTES = 30 * 10**9


def judge(ground: Ground) -> Told:
    nodes = [ground.view.nodes[name] for name in ground.manifests.draft.pool.nodes if name in ground.view.nodes]
    told = [node.allocatable["ephemeral-storage"] for node in nodes if "ephemeral-storage" in node.allocatable]
    if not told:
        return Told(None, "whether its nodes have room for the image (30 GB): none tells its disk")
    if max(told) < _IMAGE_BYTES:
        return Told(False, f"no node has 30 GB of disk for the image; the most is {max(told) / 1e9:.0f} GB")
    pressed = [node.name for node in nodes if (one := node.condition("DiskPressure")) and one.status == "True"]
    if pressed:
        return Told(None, f"whether {pressed[0]} gets room in time: it is short of disk now (DiskPressure)")
    return Told(True, "nodes have room for the image")


POINT = Asked(81, "disk", "Disk", judge, page=__doc__ or "")

"""The driver covers the CUDA of the images that run there.

A container starts where the driver is as new as its CUDA's major version asks for; the newest minor version that the
driver was made for is told beside it (docs.nvidia.com/deploy/cuda-compatibility).
"""

from bot.checks.preflight.ground import Ground
from bot.checks.preflight.point import Outcome, Point
from bot.domain.words import names
from bot.serving import driver

_RUNTIME = "nvidia.com/cuda.runtime-version.full"


def judge(ground: Ground) -> Outcome:
    scene = ground.scene
    if not ground.nvidia:
        return ground.ok(f"has {scene.sight.vendor.name} GPUs, which need no CUDA")
    has = driver.version(scene.driver_version)
    if has is None:
        return ground.unknown("driver.version", "has a driver whose version nobody told (label, agent, exporter)")
    needed = sorted({cuda for image in _images(ground) if (cuda := driver.cuda_of_image(image)) is not None})
    made_for = driver.newest_cuda(has)
    most = scene.node.labels.get(_RUNTIME, "") or (str(made_for) if made_for else "")
    evidence = []
    if needed:
        evidence.append(f"images there have CUDA {names([str(one) for one in needed])}")
    missing = [cuda for cuda in needed if driver.starts_on(cuda, has) is False]
    if missing:
        evidence.append(f"CUDA {names([str(one) for one in missing])} runs there only with a compatibility package")
    made = f", which was made for CUDA {most}" if most else ""
    return ground.ok(f"has driver {scene.driver_version}{made}", *evidence)


def _images(ground: Ground) -> set[str]:
    return {one.image for pod in ground.scene.sight.users for one in pod.containers if not one.init}


POINT = Point(2, "cuda", "driver covers the CUDA of the images", True, judge, __doc__ or "")

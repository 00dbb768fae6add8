"""Errors without what kubelets and runtimes put around them."""

import pytest

from bot.why.started.frames import LONGEST, unframed


@pytest.mark.parametrize(
    ("message", "inner"),
    [
        pytest.param(
            'Back-off pulling image "a/b:1": ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack '
            'image "docker.io/a/b:1": failed to resolve reference "docker.io/a/b:1": docker.io/a/b:1: not found',
            "docker.io/a/b:1: not found",
            id="a pull",
        ),
        pytest.param('Back-off pulling image "a/b:1"', 'Back-off pulling image "a/b:1"', id="nothing but a frame"),
        pytest.param(
            'MountVolume.MountDevice failed for volume "pvc-1" : kubernetes.io/csi: attacher.MountDevice failed to '
            "create newCsiDriverClient: driver name x.y not found in the list of registered CSI drivers",
            "driver name x.y not found in the list of registered CSI drivers",
            id="a mount",
        ),
        pytest.param("disk is broken", "disk is broken", id="no frame"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_the_innermost_error_is_left(message: str, inner: str) -> None:
    assert unframed(message) == inner


def test_of_a_long_error_the_end_is_kept() -> None:
    short = unframed("word " * 200 + "no space left on device")
    assert len(short) <= LONGEST + 2
    assert short.startswith("… word")
    assert short.endswith("no space left on device")

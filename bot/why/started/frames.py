"""An error without the frames that kubelets and runtimes put around it: what is left says why.

kubernetes/kubernetes:pkg/kubelet/images, pkg/kubelet/kuberuntime, pkg/volume; containerd/containerd:client/pull.go.
"""

from bot.domain.pattern import Pattern

MOST_FRAMES = 12
LONGEST = 290  # characters, quotation marks and cut included it is a quote of 300
_NAME = r'\\?"[^"]{0,400}"'
_FRAME = Pattern(
    "|".join(
        (
            rf"(?:Back-off pulling|Failed to pull) image {_NAME}(?:: ?|$)",
            r"ErrImagePull: ",
            r"rpc error: code = \w{1,30} desc = ",
            rf"failed to pull and unpack image {_NAME}: ",
            rf"failed to resolve (?:reference|image) {_NAME}: ",
            r"failed to copy: |httpReadSeeker: |failed open: ",
            r"Failed to create pod sandbox: ",
            rf"failed to (?:setup|set up) network for sandbox {_NAME}: ",
            rf"(?:MountVolume|MapVolume|AttachVolume|UnmountVolume)\.\w{{1,30}} failed for volume {_NAME} ?: ",
            r"kubernetes\.io/csi: |(?:attacher|mounter)\.\w{1,20} failed to create newCsiDriverClient: ",
            r"(?:attacher|mounter)\.\w{1,20} failed: ",
        )
    )
)


def unframed(message: str) -> str:
    """The innermost error; the whole message where nothing but frames would be left. Of a long one the end says why."""
    position = 0
    for _ in range(MOST_FRAMES):
        found = _FRAME.match(message, position)
        if found is None:
            break
        position = found.end()
    inner = message[position:].strip() or message
    return inner if len(inner) <= LONGEST else f"… {inner[-LONGEST:].partition(' ')[2]}"

"""What the kubelet wrote into a failed pod's status, without the frame that newer releases put around it."""

from bot.why.case import Case

FRAME = "Pod was rejected: "  # 1.27 and newer (kubernetes/kubernetes:pkg/kubelet/kubelet.go)


def message(case: Case) -> str:
    """Of the pod's status, else of the event with the same reason; empty where neither is there."""
    text = case.detail.text("status", "message")
    if not text and case.pod is not None:
        text = next((one.message for one in case.events if one.reason == case.pod.reason), "")
    return text.removeprefix(FRAME).strip()

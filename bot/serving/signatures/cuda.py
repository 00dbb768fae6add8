"""CUDA errors: no device, wrong architecture, a kernel that failed."""

from bot.serving.actions import DELETE_POD
from bot.serving.signature import Blame, Family, Rank, Remedy, Signature

_PROBE = Remedy("Probe readiness with a real one-token request: /health can answer 200 while every request fails.")
_AGAIN = Remedy(
    "If it returns on the same GPU only, with another image too: drain the node and test that GPU.", "dcgmi diag -r 2"
)
_SOFTWARE = "Mostly the program (a kernel of this release), rarely the card: look for an Xid in the node's kernel log."
_TORCH = "pytorch/pytorch:c10/cuda/CUDAException.cpp"


def _fault(identity: str, text: str, cause: str) -> Signature:
    """A kernel failed: the CUDA context is lost, and the process with it."""
    return Signature(
        id=identity,
        says=(text,),
        cause=cause,
        remedies=(DELETE_POD, _PROBE, _AGAIN),
        blames=(Blame.ENGINE, Blame.HARDWARE),
        restart_helps=True,
        note=_SOFTWARE,
        source=_TORCH,
    )


FAMILY = Family(
    "CUDA",
    (
        _fault(
            "cuda-illegal-memory-access",
            "an illegal memory access was encountered",
            "A CUDA kernel touched memory it may not: the engine's GPU context is broken and every further request "
            "fails.",
        ),
        _fault(
            "cuda-illegal-instruction",
            "an illegal instruction was encountered",
            "A CUDA kernel hit an illegal instruction: the engine's GPU context is broken.",
        ),
        _fault(
            "cuda-misaligned-address",
            "CUDA error: misaligned address",
            "A CUDA kernel used a misaligned address: the engine's GPU context is broken.",
        ),
        _fault(
            "cuda-launch-failure",
            "unspecified launch failure",
            "A CUDA kernel failed for a reason it does not tell: the engine's GPU context is broken.",
        ),
        _fault(
            "cuda-launch-timeout",
            "the launch timed out and was terminated",
            "A CUDA kernel ran too long and was ended: the engine's GPU context is broken.",
        ),
        Signature(
            id="cuda-assert",
            says=("device-side assert triggered",),
            cause="A check inside a CUDA kernel failed, mostly an index out of range: wrong token ids, a tokenizer or "
            "LoRA that does not fit.",
            remedies=(
                Remedy(
                    "Find the request or adapter that does it; `CUDA_LAUNCH_BLOCKING=1` in a test pod shows the kernel."
                ),
                DELETE_POD,
            ),
            blames=(Blame.ENGINE, Blame.ARGUMENTS),
            restart_helps=True,
            note="Not the card.",
            source=_TORCH,
        ),
        Signature(
            id="cuda-library-failed",
            says=(
                "CUBLAS_STATUS_EXECUTION_FAILED",
                "CUBLAS_STATUS_INTERNAL_ERROR",
                "CUBLAS_STATUS_NOT_INITIALIZED",
                "CUDNN_STATUS_",
                "CUSOLVER_STATUS_",
            ),
            cause="A CUDA library call failed, as it does after an earlier CUDA error or with full GPU memory.",
            remedies=(Remedy("Look for the first CUDA error above this line; it is the cause."), DELETE_POD),
            blames=(Blame.ENGINE,),
            rank=Rank.CONSEQUENCE,
            restart_helps=None,
            source=_TORCH,
        ),
        Signature(
            id="cuda-forked",
            says=("Cannot re-initialize CUDA in forked subprocess",),
            cause="Something initialised CUDA before the engine forked its workers, a plugin or a wrapper script.",
            remedies=(Remedy("Set `VLLM_WORKER_MULTIPROC_METHOD=spawn`."),),
            blames=(Blame.IMAGE, Blame.ARGUMENTS),
            rank=Rank.ROOT,
            source="pytorch/pytorch:torch/cuda/__init__.py",
        ),
    ),
)

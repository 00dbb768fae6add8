"""Ended from outside, or by a clock: probes, watchdogs, start-up limits."""

from bot.domain.pattern import Pattern
from bot.serving.signature import Blame, Family, Rank, Remedy, Sense, Signature

_PROBE = Remedy(
    "If it still loads then: give the startup probe a larger budget (`failureThreshold` × `periodSeconds` above the "
    "load time)."
)
_WHO = Remedy(
    "See who ended it: probe, rollout, drain, preemption.",
    "kubectl -n <namespace> get events --field-selector involvedObject.name=<pod>",
)

FAMILY = Family(
    "timeouts",
    (
        Signature(
            id="engine-start-timed-out",
            says=(
                "Timed out waiting for engine core processes to start",
                "Timed out waiting for engines to send initial message on input socket",
                "Timed out waiting for engine core",
            ),
            cause="The engine's own limit for starting passed before the model was ready "
            "(`VLLM_ENGINE_READY_TIMEOUT_S`, 600 s by default).",
            remedies=(
                Remedy("Set `VLLM_ENGINE_READY_TIMEOUT_S` to the start-up budget (3600 for weights of 700 GB)."),
                Remedy("Load faster: weights on node NVMe, kept compile caches (`VLLM_CACHE_ROOT` on a volume)."),
            ),
            blames=(Blame.ARGUMENTS, Blame.STORAGE),
            rank=Rank.SPECIFIC,
            note="Nothing was broken: it was slow.",
            source="vllm-project/vllm:vllm/v1/engine/utils.py, vllm-project/vllm#35547",
        ),
        Signature(
            id="engine-stopped",
            says=(
                "KeyboardInterrupt: terminated",
                "Received signal 15",
                "received signal SIGTERM",
                "Received SIGTERM",
                "SIGTERM received",
                "signal.SIGTERM",
            ),
            cause="Something outside told the engine to stop (SIGTERM)[ {phase}].",
            remedies=(_WHO, _PROBE),
            blames=(Blame.OUTSIDE,),
            sense=Sense.SYMPTOM,
            rank=Rank.SPECIFIC,
            restart_helps=None,
            note="The engine did not fail by itself.",
            source="vllm-project/vllm:vllm/entrypoints/launcher.py",
        ),
        Signature(
            id="watchdog-timed-out",
            says=("watchdog timeout (",),
            pattern=Pattern(r"watchdog timeout \((?:self\.watchdog_timeout=)?(?P<limit>[\d.]{1,10})"),
            cause="A step took longer than SGLang's watchdog allows ({limit} s): a hang, or kernels that were still "
            "compiling.",
            remedies=(
                Remedy("During the first requests: raise `--watchdog-timeout` (3600) and keep the compile caches."),
                Remedy("Else look for an Xid on the node and restart the group.", "dmesg -T | grep -iE 'xid|nvlink'"),
            ),
            blames=(Blame.ENGINE, Blame.HARDWARE),
            rank=Rank.GENERAL,
            restart_helps=True,
            source="sgl-project/sglang:python/sglang/srt/managers/scheduler.py",
        ),
        Signature(
            id="detokenizer-silent",
            says=("Health check failed. Server couldn't get a response from detokenizer for last",),
            pattern=Pattern(r"for last (?P<seconds>[\d.]{1,10}) seconds"),
            cause="SGLang's scheduler or detokenizer has not answered for {seconds} s: it hangs, or the probe's "
            "timeout is short under load.",
            remedies=(
                Remedy("Give the probe `timeoutSeconds: 20` or more: SGLang's /health generates a token."),
                Remedy("If requests fail too: delete the pod.", "kubectl -n <namespace> delete pod <pod>"),
            ),
            blames=(Blame.ENGINE, Blame.ARGUMENTS),
            restart_helps=True,
            source="sgl-project/sglang:python/sglang/srt/entrypoints/http_server.py",
        ),
        Signature(
            id="ranks-late",
            says=(
                "Timed out initializing process group",
                "Timed out after 601 seconds waiting for clients",
            ),
            cause="Not all ranks arrived in time.",
            remedies=(
                Remedy(
                    "See that all pods of the group run; a rank that downloads or loads longer than the others needs "
                    "a larger `--dist-timeout`."
                ),
            ),
            blames=(Blame.NETWORK, Blame.ARGUMENTS),
            rank=Rank.GENERAL,
            restart_helps=None,
            source="pytorch/pytorch:torch/csrc/distributed/c10d/TCPStore.cpp",
        ),
    ),
)

"""A rank that is late, stuck or missing: steps that time out and ranks that do not find each other."""

from bot.domain.pattern import Pattern
from bot.serving.signature import Blame, Family, Rank, Remedy, Sense, Signature

_FIRST = Remedy(
    "Find the rank that failed first (all pods of the group): its line is the cause, this one only follows."
)
_GROUP = Remedy("Restart the whole group: one lost rank cannot come back alone.")
_XID = Remedy("Look for an Xid or a lost link on the nodes of the group.", "dmesg -T | grep -iE 'xid|nvlink'")

FAMILY = Family(
    "ranks",
    (
        Signature(
            id="nccl-watchdog",
            says=("Watchdog caught collective operation timeout",),
            pattern=Pattern(
                r"timeout: WorkNCCL\((?:SeqNum=\d{1,18}, "
                r")?(?:OpType=(?P<operation>\w{1,40}))?(?:.{0,200}?Timeout\(ms\)=(?P<limit>\d{1,12}))?"
            ),
            cause="A collective operation[ ({operation})] did not end[ within {limit} ms]: one rank is stuck, dead or "
            "cut off.",
            remedies=(_FIRST, _XID, _GROUP),
            blames=(Blame.ENGINE, Blame.NETWORK, Blame.HARDWARE),
            rank=Rank.GENERAL,
            restart_helps=None,
            source="pytorch/pytorch:torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp",
        ),
        Signature(
            id="nccl-step-timed-out",
            says=("RPC call to execute_model timed out", "RPC call to sample_tokens timed out"),
            cause="A rank did not finish a step in time (`VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS`, 300 s): a hang.",
            remedies=(_XID, _GROUP),
            blames=(Blame.ENGINE, Blame.HARDWARE, Blame.NETWORK),
            rank=Rank.GENERAL,
            restart_helps=True,
            source="vllm-project/vllm:vllm/v1/executor/multiproc_executor.py",
        ),
        Signature(
            id="nccl-broadcast-block",
            says=("No available shared memory broadcast block found in",),
            cause="Some rank has not taken its work for a minute or more: it compiles, or it hangs.",
            remedies=(
                Remedy("During compilation wait; after the graphs are captured, ten such lines in a row mean a hang."),
                _XID,
            ),
            blames=(),
            sense=Sense.WAITING,
            rank=Rank.GENERAL,
            restart_helps=None,
            source="vllm-project/vllm:vllm/distributed/device_communicators/shm_broadcast.py",
        ),
        Signature(
            id="ranks-missing",
            says=("remote core engine proc(s) to start",),
            pattern=Pattern(r"Waiting for (?P<local>\d{1,5}) local, (?P<remote>\d{1,5}) remote core engine"),
            cause="The engine waits for {local} local and {remote} remote engine processes.",
            remedies=(
                Remedy(
                    "See that the group's other pods run, and that they reach the master address and port (mesh "
                    "sidecars and NetworkPolicies block it)."
                ),
            ),
            blames=(Blame.NETWORK,),
            sense=Sense.WAITING,
            restart_helps=None,
            source="vllm-project/vllm:vllm/v1/engine/utils.py",
        ),
        Signature(
            id="rendezvous-failed",
            says=(
                "Gloo connectFullMesh failed",
                "The server socket has timed out",
                "The client socket has timed out",
                "DistStoreError",
                "failed to connect to TCPStore",
                "DistNetworkError",
            ),
            pattern=Pattern(
                r"(?:.{0,400}?timed out after (?P<limit>\d{1,9}) ?ms while trying to connect to "
                r"\((?P<address>[^)]{1,120})\))?"
            ),
            cause="The ranks did not find each other[ at {address}][ within {limit} ms].",
            remedies=(
                Remedy(
                    "See that all pods of the group run, and that `--master-addr`, port and `GLOO_SOCKET_IFNAME` are "
                    "right."
                ),
                Remedy(
                    "A mesh sidecar or NetworkPolicy may stand between them: annotate the pods "
                    '`sidecar.istio.io/inject: "false"`.'
                ),
            ),
            blames=(Blame.NETWORK, Blame.ARGUMENTS),
            restart_helps=None,
            source="pytorch/pytorch:torch/csrc/distributed/c10d/socket.cpp",
        ),
    ),
)

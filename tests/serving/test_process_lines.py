"""Lines about processes: ranks, workers, timeouts, wrappers, and what is harmless."""

import pytest

from tests.serving.lines import Said, check, params

_WATCHDOG = (
    "[rank3]:[E1130 12:00:00.123456789 ProcessGroupNCCL.cpp:616] [Rank 3] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=1187, OpType=ALLREDUCE, NumelIn=6144, NumelOut=6144, Timeout(ms)=600000) ran for 600012 milliseconds before timing out."
)

NCCL = (
    Said(
        "nccl-interface-missing",
        "glm-0:214:214 [0] NCCL WARN Bootstrap : no socket interface found",
        "NCCL finds no network interface by the name or subnet it was told.",
    ),
    Said(
        "nccl-duplicate-gpu",
        "glm-0:214:214 [0] init.cc:901 NCCL WARN Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 18000",
        "Two ranks use the same GPU.",
    ),
    Said(
        "nccl-memlock",
        "glm-0:214:300 [0] NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory",
        "RDMA could not lock memory (ibv_reg_mr): the container's limit for locked memory is too low.",
        "IPC_LOCK",
    ),
    Said(
        "nccl-no-rdma-device",
        "glm-0:214:214 [0] NCCL INFO NET/IB : No device found.",
        "NCCL finds no RDMA device in this container and falls back to TCP.",
    ),
    Said(
        "nccl-over-tcp",
        "glm-0:214:330 [0] NCCL INFO Channel 00/0 : 8[0] -> 0[0] [receive] via NET/Socket/0",
        "Traffic between the nodes' GPUs goes over TCP, not RDMA: many times slower.",
    ),
    Said(
        "nccl-port-taken",
        "glm-0:214:214 [0] misc/socket.cc:434 NCCL WARN Call to bind failed: Address already in use",
        "NCCL could not bind its port: another process with the same network has it (hostNetwork).",
    ),
    Said(
        "nccl-system-error",
        "RuntimeError: NCCL error: unhandled system error (run with NCCL_DEBUG=INFO for details)",
        "NCCL failed in a system call: mostly /dev/shm too small, a socket, or locked memory.",
    ),
    Said(
        "nccl-cuda-error",
        "ncclUnhandledCudaError: Call to CUDA function failed.",
        "NCCL met a CUDA error; the line below or above it names which.",
    ),
    Said(
        "nccl-invalid-usage",
        "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:3384, invalid usage, NCCL version 2.27.3\nncclInvalidUsage: This usually reflects invalid usage of NCCL library.",
        "The ranks of the group were started in a way that NCCL refuses: mostly two ranks on one GPU or ranks that disagree.",
    ),
    Said(
        "nccl-peer-lost",
        "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
        "Another rank of the group went away.",
    ),
    Said(
        "nccl-peer-lost",
        "glm-0:214:214 [0] misc/socket.cc:58 NCCL WARN socketProgress: recv failed, Connection reset by peer",
        "Another rank of the group went away.",
    ),
)
RANKS = (
    Said(
        "nccl-watchdog",
        _WATCHDOG,
        "A collective operation (ALLREDUCE) did not end within 600000 ms: one rank is stuck, dead or cut off.",
    ),
    Said(
        "nccl-step-timed-out",
        "TimeoutError: RPC call to execute_model timed out.",
        "A rank did not finish a step in time (`VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS`, 300 s): a hang.",
    ),
    Said(
        "nccl-broadcast-block",
        "INFO 11-30 11:00:00 [shm_broadcast.py:466] No available shared memory broadcast block found in 60 seconds.",
        "Some rank has not taken its work for a minute or more: it compiles, or it hangs.",
    ),
    Said(
        "ranks-missing",
        "DEBUG 11-30 11:00:00 [utils.py:804] Waiting for 0 local, 1 remote core engine proc(s) to start.",
        "The engine waits for 0 local and 1 remote engine processes.",
    ),
    Said(
        "rendezvous-failed",
        "torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to connect to (glm-0.glm, 29501).",
        "The ranks did not find each other at glm-0.glm, 29501 within 600000 ms.",
    ),
    Said(
        "rendezvous-failed",
        "RuntimeError: Gloo connectFullMesh failed with [../gloo/transport/tcp/pair.cc:144] no error",
        "The ranks did not find each other.",
    ),
)
HOST = (
    Said(
        "worker-killed",
        "ERROR 11-30 11:00:00 [multiproc_executor.py:154] Worker proc VllmWorker-3 died unexpectedly (exit code: -9), shutting down executor.",
        "A worker process was killed with SIGKILL, mostly by the kernel because the container's memory limit was reached.",
    ),
    Said(
        "worker-killed",
        "2024-08-11T09:36:31.932556Z ERROR shard-manager: text_generation_launcher: Shard process was signaled to shutdown with signal 9 rank=0",
        "A worker process was killed with SIGKILL, mostly by the kernel because the container's memory limit was reached.",
    ),
    Said(
        "worker-segfault",
        "Fatal Python error: Segmentation fault",
        "A worker crashed with a segmentation fault in native code.",
    ),
    Said(
        "worker-died",
        "Worker proc VllmWorker-3 died unexpectedly (exit code: 1), shutting down executor.",
        "A worker process ended with exit code 1, and the engine with it.",
    ),
    Said(
        "ray-node-memory",
        "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.\nMemory on the node (IP: 10.0.0.4) was 121.35GB / 125.53GB (0.966714), which exceeds",
        "Ray killed a worker because the node's or container's memory was nearly full (121.35GB of 125.53GB).",
    ),
    Said(
        "host-memory-refused",
        "OSError: [Errno 12] Cannot allocate memory",
        "The system refused the engine more host memory.",
    ),
    Said(
        "host-memory-swap-space",
        "ValueError: Too large swap space. 32.00 GiB out of the 31.10 GiB total CPU memory is allocated for the swap space.",
        "`--swap-space` asks for 32.00 GiB of the container's 31.10 GiB of memory.",
    ),
    Said(
        "threads-refused",
        "RuntimeError: can't start new thread",
        "The system let the engine start no more threads: the container's process limit is reached.",
    ),
    Said(
        "files-refused",
        "OSError: [Errno 24] Too many open files",
        "The engine reached the limit of open files (sockets count too).",
    ),
)
TIMEOUTS = (
    Said(
        "engine-start-timed-out",
        "TimeoutError: Timed out waiting for engine core processes to start. This is often caused by slow weight loading for large models.",
        "The engine's own limit for starting passed before the model was ready (`VLLM_ENGINE_READY_TIMEOUT_S`, 600 s by default).",
        "VLLM_ENGINE_READY_TIMEOUT_S",
    ),
    Said(
        "engine-stopped",
        "Loading safetensors checkpoint shards:  62% Completed | 66/93\nKeyboardInterrupt: terminated",
        "Something outside told the engine to stop (SIGTERM) while loading the weights.",
    ),
    Said(
        "watchdog-timed-out",
        "[2026-11-30 11:00:00 TP0] Watchdog timeout (self.watchdog_timeout=300)\n[2026-11-30 11:00:00] watchdog timeout (self.watchdog_timeout=300, x)",
        "A step took longer than SGLang's watchdog allows (300 s): a hang, or kernels that were still compiling.",
    ),
    Said(
        "detokenizer-silent",
        "Health check failed. Server couldn't get a response from detokenizer for last 20 seconds. tic start time: 11:00:00",
        "SGLang's scheduler or detokenizer has not answered for 20 s: it hangs, or the probe's timeout is short under load.",
    ),
    Said(
        "ranks-late",
        "RuntimeError: Timed out initializing process group in store based barrier on rank: 0",
        "Not all ranks arrived in time.",
    ),
)
WRAPPERS = (
    Said(
        "engine-core-failed",
        "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
        "The engine's core process failed to start.",
    ),
    Said(
        "engine-core-died",
        "EngineCore encountered a fatal error.",
        "The engine's core process died while it served; every request fails until the container is restarted.",
    ),
    Said("worker-failed", "WorkerProc hit an exception.", "A worker process failed."),
    Said(
        "ray-actor-died",
        "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.",
        "A Ray worker died.",
    ),
    Said(
        "sglang-child-failed",
        "[2026-11-30 11:00:00] Received sigquit from a child process. It usually means the child failed.",
        "A process of SGLang failed, and the server with it.",
    ),
    Said("tgi-shard-failed", "Error: ShardCannotStart", "A shard of TGI failed to start."),
    Said(
        "elastic-child-failed",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
        "A rank ended with an error, and the launcher with it.",
    ),
    Said("request-failed", "ERROR:    Exception in ASGI application", "A request failed inside the server."),
)
HARMLESS = (
    Said(
        "harmless-leaked-semaphores",
        "UserWarning: resource_tracker: There appear to be 1 leaked shared_memory objects to clean up at shutdown",
        "Python counts what a process that was ended did not clean up.",
    ),
    Said(
        "harmless-process-group",
        "Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources.",
        "The process group was not closed in order at the end.",
    ),
    Said(
        "harmless-custom-all-reduce",
        "WARNING Custom allreduce is disabled because your platform lacks GPU P2P capability",
        "The fast path between GPUs is off, because they are not linked to each other: slower, nothing fails.",
    ),
    Said(
        "harmless-moe-configuration",
        "WARNING Using default MoE config. Performance might be sub-optimal! Config file not found at",
        "There is no tuned kernel configuration for this GPU and model: a little slower, nothing fails.",
    ),
    Said(
        "harmless-file-limit",
        "WARNING Found ulimit of 1024 and failed to automatically increase with error",
        "The limit of open files is lower than the server likes; it matters with thousands of connections.",
    ),
    Said(
        "harmless-request-refused",
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
        "A client sent a request that is longer than the context or wrong in itself; it was answered with 400.",
    ),
    Said(
        "harmless-client-left",
        "INFO 11-30 11:00:00 [async_llm.py:271] Aborted request chatcmpl-123.",
        "A client ended its connection before the answer was complete.",
    ),
    Said(
        "harmless-usage-report",
        '  File "/usr/lib/python3/vllm/usage/usage_lib.py", line 201, in _report_usage_once',
        "The engine could not send or write its usage statistics.",
    ),
    Said(
        "harmless-hub-anonymous",
        "Warning: You are sending unauthenticated requests to the HF Hub. Please set a HF_TOKEN",
        "The download runs without a token: slower limits, nothing fails.",
    ),
)
TABLE = (*NCCL, *RANKS, *HOST, *TIMEOUTS, *WRAPPERS, *HARMLESS)


@pytest.mark.parametrize("said", params(TABLE))
def test_a_line_about_processes_is_explained(said: Said) -> None:
    check(said)

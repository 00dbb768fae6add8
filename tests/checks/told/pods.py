"""Pods, as far as their GPUs are concerned."""

from bot.checks.finding import Severity
from bot.checks.scene import Scene
from bot.domain.pod import ContainerState
from tests.checks.building import Told, a_scene, agent, an_engine, case, gpu, kernel, without, xid

ENGINE = an_engine()
WAITS = an_engine(states=(ContainerState("vllm", waiting="CrashLoopBackOff", restarts=4),))
ILLEGAL = "ERROR 11-30 11:58:41 RuntimeError: CUDA error: an illegal memory access was encountered\n"
WELL = "INFO 11-30 11:58:41 Application startup complete.\n"
NO_ACCESS = "Failed to initialize NVML: Unknown Error\n"
NO_CUDA = "RuntimeError: No CUDA GPUs are available\n"
INSUFFICIENT = "RuntimeError: CUDA driver version is insufficient for CUDA runtime version\n"
BURSTS = [xid(13, ago=60.0 + 600 * place, text=f"pid={place}, name=python") for place in range(3)]


def logged(text: str, driver: str = "") -> Scene:
    told = agent([gpu(0)], driverVersion=driver) if driver else None
    return a_scene(gpu(0), told=told, logs={WAITS if driver else ENGINE: text})


def unlogged() -> Scene:
    return a_scene(gpu(0), pods=[ENGINE])


TOLD = {
    "rejected": Told(
        "gpu-a rejects every GPU pod: 554 since",
        Severity.CRITICAL,
        lambda: case("D05", "gpu-a"),
        lambda: case("D05", "gpu-b"),
        lambda: without(case("D05", "gpu-a"), "pods"),
    ),
    "program_xid": Told(
        r"gpu-1's GPU 0 reported Xid 13 .*, 3 times in 24 h: 3 programs failed on it and none on another GPU",
        Severity.WARNING,
        lambda: a_scene(gpu(0), log=kernel(*reversed(BURSTS))),
        lambda: a_scene(gpu(0), log=kernel(xid(48))),
        a_scene,
    ),
    "cleanup_xid": Told(
        r"gpu-1's GPU 0 reported Xid 45 .*, 5 times in 24 h",
        Severity.WARNING,
        lambda: a_scene(gpu(0), log=kernel(*(xid(45, ago=600.0 * place) for place in range(5, 0, -1)))),
        lambda: a_scene(gpu(0), log=kernel(xid(13, ago=61), xid(45))),
        a_scene,
    ),
    "lost_access": Told(
        "llm/glm-0 on gpu-1 lost access to its GPU",
        Severity.WARNING,
        lambda: logged(NO_ACCESS),
        lambda: logged(WELL),
        unlogged,
    ),
    "broken_engine": Told(
        "llm/glm-0 on gpu-1 fails its requests although it runs",
        Severity.CRITICAL,
        lambda: logged(ILLEGAL),
        lambda: logged(WELL),
        unlogged,
    ),
    "no_cuda": Told(
        "llm/glm-0 on gpu-1 has a GPU and its program does not find it",
        Severity.WARNING,
        lambda: logged(NO_CUDA),
        lambda: logged(WELL),
        unlogged,
    ),
    "image_driver": Told(
        r"llm/glm-0 on gpu-1 has CUDA 13.0 in its image and needs driver 580.00 or newer, the node has 570.172.08",
        Severity.WARNING,
        lambda: logged(INSUFFICIENT, "570.172.08"),
        lambda: logged(WELL, "570.172.08"),
        lambda: a_scene(pods=[ENGINE]),
    ),
}

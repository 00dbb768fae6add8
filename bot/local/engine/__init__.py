"""An inference server for tests and the demo: speaks vLLM's HTTP, metrics and log truly enough to be watched and asked.

Nothing is computed: words come at a set pace. What a client or a monitor sees (names, formats, phases of a start,
faults) is what vLLM 0.33 shows, or SGLang 0.5. It runs inside the simulated cluster, on a port of its own
(`EngineServer`), or as a process: `python -m bot.local.engine`.
"""

from bot.local.engine.arguments import EngineArgs, is_engine, read_args
from bot.local.engine.engine import Engine, Faults
from bot.local.engine.server import EngineServer

__all__ = ("Engine", "EngineArgs", "EngineServer", "Faults", "is_engine", "read_args")

"""An inference server for tests and the demo: speaks vLLM's HTTP, metrics and log truly enough to be watched and asked.

Nothing is computed: words come at a set pace. What a client or a monitor sees (names, formats, phases of a start,
faults) is what vLLM 0.33 shows. It runs inside the simulated cluster, or by itself: `python -m bot.local.engine`.
"""

from bot.local.engine.arguments import EngineArgs, is_engine, read_args
from bot.local.engine.engine import Engine, Faults

__all__ = ("Engine", "EngineArgs", "Faults", "is_engine", "read_args")

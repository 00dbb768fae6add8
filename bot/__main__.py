"""The gpubot command: one verb per file in bot/cli."""

import gc
import sys


def main() -> None:
    """Ends the process with the verb's exit status."""
    if sys.argv[1:2] in (["ask"], ["sweep"]):
        gc.disable()  # both end in seconds: what would be looked through meanwhile are modules, which stay

    from bot.cli.entry import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()

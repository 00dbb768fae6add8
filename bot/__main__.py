"""The gpubot command: one verb per file in bot/cli."""

import sys


def main() -> None:
    """Ends the process with the verb's exit status."""
    from bot.cli.entry import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()

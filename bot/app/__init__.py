"""The running bot: everything is put together here, and nowhere else."""

from bot.app.app import App, run_until

__all__ = ["App", "run_until"]

"""Bringing a database's tables to what this program knows, each time it is opened.

Two programs may open it at once: the second waits until the first is done, and finds nothing left to do. All steps are
one transaction, so that a failure leaves the database as it was.
"""

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from bot.domain.errors import ConfigError

OPTIONS = {"version_table": "gpubot_schema"}
_ADVISORY_LOCK = 0x67707562  # any number that other users of a shared PostgreSQL are unlikely to take


def to_head(connection: Connection, where: str) -> None:
    """Within the transaction that is open. Raises ConfigError for tables of a newer program."""
    _alone(connection)
    config = _config(connection)
    scripts = ScriptDirectory.from_config(config)
    head = scripts.get_current_head()
    at = MigrationContext.configure(connection, opts=OPTIONS).get_current_heads()
    if not set(at) <= {script.revision for script in scripts.walk_revisions()}:
        raise ConfigError(
            f"{where} was made by a newer gpubot (its tables are at {', '.join(at)}, this one knows them up to "
            f"{head}): start the newer gpubot, or name another database."
        )
    if at != (head,):
        command.upgrade(config, "head")


def _alone(connection: Connection) -> None:
    """Until the transaction ends, no other program changes tables. SQLite's transaction holds the file already."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})"))


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("path_separator", "os")
    config.set_main_option("script_location", "bot.adapters.store:migrations")
    config.attributes["connection"] = connection
    config.attributes["options"] = OPTIONS
    return config

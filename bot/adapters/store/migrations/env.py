"""What Alembic runs to migrate: over the connection, and within the transaction, that `migrate` hands over."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], **context.config.attributes["options"])
context.run_migrations()

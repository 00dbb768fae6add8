"""
Everything gpubot raises on purpose.

    BotError
    ├── UserError            the caller can mend it; shown word for word, logged at INFO; exit status 3
    │   ├── UsageError       the line does not parse, or names no known command
    │   ├── NotFoundError    no such cluster, node, pod, product
    │   ├── ForbiddenError   this person may not do this
    │   └── ConflictError    it is no longer as the person, or the program, saw it
    ├── UpstreamError        a dependency failed; `retryable` says whether trying again makes sense; exit status 2
    │   ├── ClusterError     the Kubernetes API
    │   └── ChatError        Slack
    └── ConfigError          settings, kubeconfig, a folder that cannot be read: names file, line and key; exit status 3

Any other exception is a bug: people see an id, the log has the id and the trace.
"""


class BotError(Exception):
    """Base of every deliberate error. Its text is one clear sentence."""

    exit_status = 3


class UserError(BotError):
    """Written for the person who typed the line."""


class UsageError(UserError):
    """The line does not parse."""


class NotFoundError(UserError):
    """The named thing does not exist."""


class ForbiddenError(UserError):
    """This person may not do this."""


class ConflictError(UserError):
    """Something else happened first. Nothing was done."""


class ConfigError(BotError):
    """Settings or a source cannot be used as they are."""


class UpstreamError(BotError):
    """A dependency failed. The library's own exception is the `__cause__`."""

    exit_status = 2

    def __init__(self, message: str, *, retryable: bool) -> None:
        super().__init__(message)
        self.retryable = retryable


class ClusterError(UpstreamError):
    """The Kubernetes API did not answer as hoped."""


class ChatError(UpstreamError):
    """Slack did not answer as hoped."""

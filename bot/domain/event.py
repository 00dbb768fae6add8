"""What controllers, the scheduler and kubelets said about an object. Events expire, an hour later as a rule."""

from bot.domain.record import Record


class Event(Record, frozen=True, eq=False, gc=False, kw_only=True):
    """One event, or a series of the same one.

    `about_*` name the object it speaks of. `source` is the reporting controller. `first` and `last` are RFC 3339 times
    (either may be empty), `count` how often it was seen. kubernetes/api:core/v1/types.go and events/v1/types.go.
    """

    namespace: str
    about_kind: str = ""
    about_namespace: str = ""
    about_name: str = ""
    about_uid: str = ""
    reason: str = ""
    message: str = ""
    kind: str = ""  # Normal or Warning
    source: str = ""
    node: str = ""  # source.host
    count: int = 1
    first: str = ""
    last: str = ""

    @property
    def about(self) -> tuple[str, str, str]:
        """The key of the view's index."""
        return self.about_kind, self.about_namespace, self.about_name

    @property
    def time(self) -> str:
        """When it was last seen."""
        return self.last or self.first or self.created

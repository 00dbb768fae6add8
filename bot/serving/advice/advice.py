"""What one piece of advice is: it looks at one engine as it is set up, and remarks on what differs."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from bot.domain.fields import Fields
from bot.domain.version import Version
from bot.serving.arguments import EngineArguments
from bot.serving.model import Model, Support, Variant


@dataclass(frozen=True, slots=True)
class Setup:
    """One engine's container with all that is known around it.

    flags: of the command line and of the configuration file, without dashes. unread: the configuration file that was
    not read; flags that are missing may stand there. generation: of its GPUs, as the catalogue names them; empty where
    not known. start_seconds: what a start of that model may take; 0: not known. model, variant, support: of the
    catalogue; None where it does not know them. owner: the workload, which is of that kind; pod: its pod spec.
    """

    engine: str
    kind: str
    version: Version | None
    told: EngineArguments
    flags: Mapping[str, str]
    owner: Fields
    pod: Fields
    container: Fields
    unread: str = ""
    generation: str = ""
    start_seconds: int = 0
    model: Model | None = None
    variant: Variant | None = None
    support: Support | None = None
    image: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)

    def flag(self, *names: str) -> str | None:
        """The value of the first that is set; None where none is, or where that cannot be told."""
        return next((self.flags[name] for name in names if name in self.flags), None)

    def lacks(self, *names: str) -> bool:
        """Whether none of them is set, for certain."""
        return not self.unread and self.flag(*names) is None

    @property
    def mtp(self) -> bool | None:
        """Whether it guesses tokens ahead; None where that cannot be told."""
        names = ("speculative-config", "speculative-config.method", "speculative-algorithm", "speculative-algo")
        if self.flag(*names) is not None:
            return True
        return None if self.unread else False


@dataclass(frozen=True, slots=True)
class Remark:
    """now: how it is, advised: how it should be, because: why, each a clause. grave: the model cannot work so."""

    what: str
    now: str
    advised: str
    because: str
    grave: bool = False


@dataclass(frozen=True, slots=True)
class Advice:
    """`judge` yields nothing where all is as advised, or where it cannot be told."""

    name: str
    judge: Callable[[Setup], Iterator[Remark]]
    page: str = ""

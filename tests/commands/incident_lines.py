"""A cluster with incidents, and lines typed at it by people of several roles."""

from bot.command import Cluster, Reply, Request
from bot.dialogue import all_commands, decide, understand
from bot.domain.incident import Deed
from bot.domain.person import TERMINAL, Access, Asker
from bot.gpu.inventory import Inventory
from tests.alerts.building import RULES, crashing, down, lost
from tests.factories import NOW, POLICY, a_view
from tests.fakes.incidents import MemoryIncidents
from tests.incidents.building import ANA, Watch

READER = Asker(id="U0EVA", workspace="T0HOME", name="eva", access=Access.READ)


def watched() -> Watch:
    """Incident 1: a node that is down, taken by ana. 2: a GPU of gpu-1. 3: an owner, over."""
    watch = Watch()
    watch.look(down("gpu-9", "llm/glm"), lost("gpu-1"), crashing("dev/nb", node="gpu-3"), times=2)
    watch.do(Deed.TAKE)
    watch.look(down("gpu-9", "llm/glm"), lost("gpu-1"), times=3)
    return watch


def a_cluster(watch: Watch | None) -> Cluster:
    view = a_view(cluster="prod")
    store = MemoryIncidents()
    if watch is not None:
        store.books["prod"] = watch.book
    rules = RULES if watch else None
    return Cluster("prod", view, Inventory(view, POLICY), incidents=store if watch else None, alert_rules=rules)


def typed(line: str, watch: Watch | None, asker: Asker = ANA) -> Reply:
    commands = all_commands()
    asked = understand(line, commands)
    request = Request(
        asked.words,
        asked.options,
        asked.typed,
        a_cluster(watch),
        watch.now if watch else NOW,
        ("prod",),
        commands,
        asker=asker,
    )
    return decide(asked, request)


__all__ = ("ANA", "READER", "TERMINAL", "a_cluster", "typed", "watched")

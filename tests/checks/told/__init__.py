"""For every check, by family: where it fires, where it just does not, where it cannot know."""

from tests.checks.building import Told
from tests.checks.told import driver, engine, fabric, fleet, gpu, heat, links, memory, mig, node, plugin, pods

TOLD: dict[str, Told] = {
    f"{family.__name__.rpartition('.')[2]}.{name}": told
    for family in (driver, engine, fabric, fleet, gpu, heat, links, memory, mig, node, plugin, pods)
    for name, told in family.TOLD.items()
}

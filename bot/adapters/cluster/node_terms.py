"""Node selectors as they stand in volumes, slices and claims."""

from bot.adapters.cluster.pod_spec import requirements
from bot.adapters.cluster.wire_spec import WireNodeSelector
from bot.domain.selectors import NodeTerm, node_term


def node_terms(wire: WireNodeSelector | None) -> tuple[NodeTerm, ...] | None:
    """None where there is no selector: then every node will do."""
    if wire is None:
        return None
    return tuple(
        node_term(requirements(one.match_expressions), requirements(one.match_fields))
        for one in wire.node_selector_terms or ()
    )

"""The states of an incident, and what each thing that happens makes of them: one table, and nothing beside it.

What is not in the table cannot happen there, and whoever asked for it is told why. Taking an incident that is over does
not open it again.
"""

from bot.domain.errors import ConflictError
from bot.domain.incident import Happening, IncidentState

_SAME = {
    Happening.CHANGED,
    Happening.NOTED,
    Happening.SILENCED,
    Happening.ABSORBED,
    Happening.SPLIT,
}  # these leave it as it is
_LIVE = (IncidentState.OPEN, IncidentState.ACKNOWLEDGED, IncidentState.MITIGATED)

TABLE: dict[tuple[IncidentState, Happening], IncidentState] = {
    **{(state, what): state for state in _LIVE for what in _SAME},
    **{
        (state, Happening.TAKEN): IncidentState.ACKNOWLEDGED
        for state in (IncidentState.OPEN, IncidentState.ACKNOWLEDGED)
    },
    **{
        (state, Happening.HANDED): IncidentState.ACKNOWLEDGED
        for state in (IncidentState.OPEN, IncidentState.ACKNOWLEDGED)
    },
    **{(state, Happening.EASED): IncidentState.MITIGATED for state in _LIVE},
    **{(state, Happening.CLEARED): IncidentState.RESOLVED for state in _LIVE},
    **{(state, Happening.MERGED): IncidentState.MERGED for state in _LIVE},
    **{(state, Happening.CLOSED): IncidentState.CLOSED for state in (*_LIVE, IncidentState.RESOLVED)},
    (IncidentState.MITIGATED, Happening.TAKEN): IncidentState.MITIGATED,
    (IncidentState.MITIGATED, Happening.HANDED): IncidentState.MITIGATED,
    (IncidentState.MITIGATED, Happening.WORSENED): IncidentState.OPEN,
    (IncidentState.RESOLVED, Happening.RETURNED): IncidentState.OPEN,
    (IncidentState.RESOLVED, Happening.REOPENED): IncidentState.OPEN,
    (IncidentState.RESOLVED, Happening.LAPSED): IncidentState.CLOSED,
    (IncidentState.RESOLVED, Happening.NOTED): IncidentState.RESOLVED,
    (IncidentState.RESOLVED, Happening.ABSORBED): IncidentState.RESOLVED,
    (IncidentState.CLOSED, Happening.NOTED): IncidentState.CLOSED,
    (IncidentState.CLOSED, Happening.REOPENED): IncidentState.OPEN,
    (IncidentState.CLOSED, Happening.RETURNED): IncidentState.OPEN,
}

_WHY = {
    IncidentState.MERGED: "is a part of another incident",
    IncidentState.CLOSED: "is closed",
    IncidentState.RESOLVED: "is over",
}


def after(state: IncidentState, what: Happening, *, taken: bool, number: int = 0) -> IncidentState:
    """taken: somebody has it, so that it is never simply open. Raises ConflictError for what cannot happen there."""
    found = TABLE.get((state, what))
    if found is None:
        raise ConflictError(f"Incident {number} {_WHY.get(state, f'is {state}')}: it cannot be {what} now.")
    return IncidentState.ACKNOWLEDGED if found is IncidentState.OPEN and taken else found


def can(state: IncidentState, what: Happening) -> bool:
    return (state, what) in TABLE

"""A view that no longer changes, so that a thread can judge it while the event loop keeps the other one up to date.

Records never change, so only tables and indexes are copied: some ten milliseconds for a hundred thousand pods.
"""

from bot.domain.view import View

_SETS = ("repelling", "unowned", "waiting", "ailing", "leaving")
_OF_SETS = ("pods_by_node", "pods_by_owner", "events_about")
_OF_NUMBERS = ("requested", "priorities")


def snapshot(view: View) -> View:
    """As it is now. Belongs where records are put into the view: in its event loop."""
    copied = View(view.cluster)
    copied.sources.update(view.sources)
    for kind, table in view.tables.items():
        copied.tables[kind].update(table)
    for name in _SETS:
        getattr(copied, name).update(getattr(view, name))
    for name in _OF_SETS:
        getattr(copied, name).update({key: held.copy() for key, held in getattr(view, name).items()})
    for name in _OF_NUMBERS:
        getattr(copied, name).update({key: held.copy() for key, held in getattr(view, name).items()})
    copied.inhabited.update(view.inhabited)
    for kind in ("resourceslices", "resourceclaims"):
        for record in view.tables[kind].values():
            copied.devices.replace(None, record)
    return copied

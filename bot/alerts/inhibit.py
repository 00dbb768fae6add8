"""Inhibition: what follows from something else is remembered and never told by itself.

Within one look the sweep has joined what has one root; over looks it goes by topology (`group.py` asks the same).
"""

from bot.alerts.stage import Round, Stage
from bot.domain.alert_state import Kind, Phase


def run(round_: Round) -> None:
    for bundle in round_.look.bundles:
        for alert in bundle.alerts:
            standing = round_.alerts[alert.fingerprint]
            why = f"follows from {bundle.root.cause} on {bundle.root.subject}"
            if alert.follows and standing.phase is Phase.FIRING and standing.why != why:
                round_.say(Kind.INHIBITED, why, standing=round_.set(alert.fingerprint, why=why))


STAGE = Stage("inhibit", run, __doc__ or "")

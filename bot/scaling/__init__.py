"""What would come of another number of replicas: pure, on a copy of the cluster, by the same filters as `/why`.

wish.py, until.py       what was typed: how many, until when, because of what
forms.py, target.py     which objects can be scaled, and which one is meant
standing.py             how many there are now, of which template, in which order they would go
like.py, template_*.py  the pod that would be made: like one that is there, else from the template
like_group.py           groups that have a rack for themselves
fresh_claims.py         claims that a StatefulSet would make for it
fresh_devices.py        claims for devices that would be made for it, booking.py what they get
rationing.py, ration_*  quotas, LimitRanges, Kueue, refusals, order: how many more may be made at all
placing.py, ground.py   where each would go, one after the other
scores.py               which of the nodes that would do the scheduler prefers
making_room.py          whom the scheduler would end for it
storage.py              volumes that only one node may mount
leaving.py              who goes first when there are to be fewer
keepers.py, keeper_*    autoscalers that own the number, and what they will make of it
growing.py              what an autoscaler of nodes could add
starting.py             how long such pods took to be ready
kserve.py               what an InferenceService takes for a number
preview.py              all of it
verdict.py, effects.py, objections.py   all of it in words
listing.py              what can be scaled, and who owns the number
"""

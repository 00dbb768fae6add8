"""What the scheduler's filters say, in people's terms: which nodes count, what blocks them, who holds what is needed.

blockers.py   one failing filter on one node → what blocks it there, in words for one node and for many
nodes.py      all nodes: those that could never do, and the others by what blocks them
shortage.py   what is short: used up, in pieces, lost, too large
offered.py    what no node offers, and under which other name it is there
on_nodes.py   CPU, memory and the like; basics.py what helps there; origin.py which containers ask for it
neighbours.py, ports.py, spreading.py, devices.py, discovery.py, nowhere.py: each kind of blocker in one sentence
unready.py, overdue.py: nodes and pods that are not as they should be; beyond.py what the API does not show
headline.py   the one sentence
holders.py    who holds what the pod needs, best to end first
remedies.py   what would help, each tried on a copy of the cluster
"""

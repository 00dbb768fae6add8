"""From findings to alerts: pure, one stage per file, each decision with its reason.

fingerprint.py  entries of a sweep → bundles of alerts with names that last
outside.py      Alertmanager's webhook → the same
notice.py       hold down: what has not stood long enough, what comes and goes
silence.py      what people do not want to be told for a while
inhibit.py      what something else explains, by topology (topology.py)
group.py        what is told together, over sweeps: opened, joined, merged, reopened
resolve.py      what is over, because its subject was seen well: what is unknown stays
split.py        what turned out to have several roots
storm.py        too much at once: one digest
route.py        which channel, who is mentioned, quiet hours
repeat.py       whether anything changed that is worth saying
evaluate.py     all of them in this order
"""

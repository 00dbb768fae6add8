"""The software between a GPU and a pod that asks for it, one node at a time: who is there, who is missing, and why.

link.py        the links of the chain, bottom up: driver, toolkit, device plugin, …
recognise.py   which pods and DaemonSets are which link, whoever installed them
placement.py   where a DaemonSet would put its pods, and what keeps them from a node
setters.py     who sets which node label
expected.py    how many GPUs a node should have, and who says so
sight.py       everything about one node that faults are found from
faults/        one fault per file
chain.py       the first broken link of a node, and what follows from it
"""

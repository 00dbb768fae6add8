"""The ten-point checklist that a GPU node has to pass before work is put on it, one point per file → POINT.

point.py      what a point is, and the three answers it can have
ground.py     everything that the points of one node are judged from
attributed.py which check speaks of which point, and what only stands beside it
shared.py     what is worked out once for all nodes: models of pools, pods that do not tolerate a taint
report.py     all nodes, their pools, the verdict
junit.py      the same for CI, as JUnit's XML
"""

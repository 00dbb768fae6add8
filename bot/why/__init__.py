"""Why something does not run: who is meant, what stands in the way, what helps. Pure: one view and evidence in.

subject.py    who is meant by the words that were typed
case.py       everything one question is decided from
stages/       one place where a pod can be stuck per file, from its owner to its last probe → STAGE
explain.py    one ordered answer from what the stages found
change.py     what can be tried on a copy of the cluster
"""

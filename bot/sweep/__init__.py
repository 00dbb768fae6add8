"""One look at a whole cluster: what is broken now, each root once, with what follows from it. Pure: a view in.

suspects.py   pods that do not run, or run and may be broken
owners.py     controllers that want pods and do not get them made
stuck.py      why they are stuck, by bot.why, and whether that is trouble or only a wait
engines.py    what they say of inference engines
cards.py      what health checks say of nodes and GPUs (bot.checks)
budgets.py    disruption budgets that no drain can ever get past
joined.py     one entry for each root
sweep.py      all of it
"""

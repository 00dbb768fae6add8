"""From alerts to incidents: what people have, follow and close. Pure: a book in, a book out.

table.py    states and the ways between them
looking.py  a sweep and what it could see, as a look
blast.py    whom it hits: replicas left, tokens lost
before.py   what changed shortly before
follow.py   what was decided about alerts, written into incidents
deeds.py    what people do with them
silences.py what people do not want to be told
report.py   a draft of a post-mortem
digest.py   what to say of a day or a week
"""

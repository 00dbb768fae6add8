"""An engine's /metrics as readings (bot.domain.engine). Pure: Prometheus text in.

names.py        which engine calls what by which name, in which version
exposition.py   lines of the format, as far as those names go
series.py       samples of one time, joined over models and ranks
read.py         a whole page
"""

"""What is done by the clock, one job per file → JOB. A job never keeps an answer waiting: it yields between its steps."""

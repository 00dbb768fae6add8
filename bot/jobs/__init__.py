"""What is done by the clock, one job per file → JOB. A job keeps no answer waiting: it yields between its steps."""

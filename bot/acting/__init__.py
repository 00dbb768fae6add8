"""Does what commands ask for besides an answer: one kind of intent per file → ACTOR."""

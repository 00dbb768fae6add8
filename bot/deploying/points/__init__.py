"""What is asked before anything is created, one question a file → POINT: yes, no with what helps, or could not tell."""

"""A deployment on its way to its first token: phases, each with the time that it takes and may take."""

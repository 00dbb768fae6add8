"""How a random cluster comes about: one module for each kind of thing in it. All chance comes from one seed."""

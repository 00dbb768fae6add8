"""Heat and power: what slows a GPU down."""

"""Dynamic resource allocation as the scheduler does it: pools, selectors, constraints, and the search for devices."""

"""What every test process does once."""

import celpy

celpy.Environment()  # raises the recursion limit, which Hypothesis would take for a fault of the test that did it

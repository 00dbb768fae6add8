"""Where what runs differs from what the catalogue advises: one piece of advice per file → ADVICE."""

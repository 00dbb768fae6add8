"""Errors of GPU memory: corrected, uncorrected, and what the card did about them."""

"""One check: explore in a guest, replay in fresh guests, cross-check, report."""

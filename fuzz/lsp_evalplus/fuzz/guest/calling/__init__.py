"""Call a program once, under a clock, and report the outcome."""

"""Shrink a failing input to the smallest one that still fails."""

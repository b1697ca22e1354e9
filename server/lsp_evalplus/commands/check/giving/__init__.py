"""What ``check`` does with its findings: examples, corrections, and a dialogue about each of them."""

"""Tasks judged by tests: what the reference's run says of the tests, and the verdicts on samples by them."""

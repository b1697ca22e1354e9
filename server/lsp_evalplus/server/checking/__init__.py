"""Check functions of documents: schedule, state, results."""

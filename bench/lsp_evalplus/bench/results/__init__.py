"""Results: files, pass@k, tables, reports."""

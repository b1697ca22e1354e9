"""Read documents for what can be checked, in processes of their own."""

"""Parameters that are functions: how programs call them, and the functions that are tried."""

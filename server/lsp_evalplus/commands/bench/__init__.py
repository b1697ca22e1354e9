"""The command bench and its subcommands."""

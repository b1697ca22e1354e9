"""The subcommands of the command line, one module each, imported only when the command runs."""

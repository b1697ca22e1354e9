"""One module per subcommand of the command line; imported only when its command runs."""

"""One module per LSP method."""

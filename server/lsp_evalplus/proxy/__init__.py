"""Relays bytes between an editor and an inline-completion server, and notices which completions were accepted."""

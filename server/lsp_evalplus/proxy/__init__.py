"""Relay between an editor and an inline-completion server that detects accepted completions."""

"""Recognise accepted completions."""

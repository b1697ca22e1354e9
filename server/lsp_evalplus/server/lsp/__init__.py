"""The protocol: server, messages, publishing, transport."""

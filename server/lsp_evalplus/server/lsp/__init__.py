"""What speaks the protocol: server, messages, publishing, transport."""

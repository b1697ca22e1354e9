"""The session of one client, which joins all parts."""

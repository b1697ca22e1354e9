"""One session of an editor: all parts joined."""

"""What surrounds a call and is no argument of it: an event loop whose time passes by itself."""

"""What a web framework holds for the functions that it calls, read off their text."""

"""Files, folders, archives and streams that functions read or write: which parameters lead to them, what they hold."""

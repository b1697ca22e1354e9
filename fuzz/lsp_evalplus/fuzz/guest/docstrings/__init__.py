"""What a docstring says: sections, types, exceptions, predicates, preconditions. Pure: outsiders may import it."""

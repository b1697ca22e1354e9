"""Static analysis: program text is read and nothing is run. Pure: outsiders may import it."""

"""Values as data: plain values, recipes, shapes, equality, rendering, digests. Pure: outsiders may import it."""

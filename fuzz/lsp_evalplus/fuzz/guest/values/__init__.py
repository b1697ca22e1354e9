"""Values as data: plain values, recipes, shapes, rendering. Pure: outsiders may import it."""

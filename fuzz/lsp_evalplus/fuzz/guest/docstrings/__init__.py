"""What a docstring says, by convention (Sphinx, Google, NumPy) and in prose. Pure: outsiders may import it.

`types` reads the types of parameters, `raises` the documented exceptions, `sections` the entries and sentences that
`preconditions` turns into preconditions, with the `predicates` on one value.
"""

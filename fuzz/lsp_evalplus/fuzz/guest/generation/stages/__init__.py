"""Where rows of arguments come from: one module per stage, each a generator function over a `Context`.

A stage never judges and never stops the search; it yields rows, simplest first, for as long as it has any. The
scheduler (`schedule.py`) gives the stages turns. To add one, write a module with a generator function and name it in
`schedule.STAGES`.
"""

"""Stages, the sources of rows of arguments: one module each, with a generator function over a `Context`.

A stage never judges and never stops the search; it yields rows, simplest first, for as long as it has any. The
scheduler (`search.scheduler`) gives the stages turns. To add one, write a module with a generator function and name it
in `scheduler.STAGES`.
"""

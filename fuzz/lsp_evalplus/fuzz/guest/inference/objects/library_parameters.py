"""Parameters that are annotated with classes of libraries: requests, connections and the like.

Where none of their objects can be made here, objects with what the function uses of them stand in, as they do where
there is no annotation.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from ...calling.subject import Parameter, Programs
from ...program.classes import is_of_library
from ...values.dynamic import is_class
from ...values.shapes import ANYTHING
from ..hints import alternatives, hints_of


def of_libraries(programs: Programs, parameters: Sequence[Parameter]) -> Set[int]:
    """Return the places of parameters that are annotated with a class of a library."""
    hints = hints_of(programs.judging.loaded.function)
    kinds = [[one for one in alternatives(hints.get(each.name)) if is_class(one)] for each in parameters]
    return {place for place, found in enumerate(kinds) if any(map(is_of_library, found))}


def forget_library_classes(programs: Programs, parameters: Sequence[Parameter]) -> bool:
    """Take such parameters for ones without annotation, in place; return whether there are any."""
    places = of_libraries(programs, parameters)
    for place in places:
        parameters[place].shape = ANYTHING
    return bool(places)

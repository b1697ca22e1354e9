"""Objects whose attribute a descriptor is, which ``__get__``, ``__set__`` and ``__delete__`` are called with, and
classes on which the methods of a metaclass are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...calling.subject import Parameter, Subject
from ...values.dynamic import is_subclass, type_of
from ...values.recipes.model import Name, New
from ...values.shapes import ChoiceShape, Shape, is_unknown
from ..members import own_classes

_ACCESSING: Final = ("__get__", "__set__", "__delete__")
_NAME: Final = "a"
"""What a descriptor is called to which strings are given; it keeps the value under its own name or a private one."""
_MOST_CLASSES: Final = 6
_HOST: Final = "types.SimpleNamespace"


def give_hosts(subject: Subject, parameters: Sequence[Parameter]) -> None:
    """Give the method of a descriptor objects that have attributes: without the one that it stands for, and with values
    of it. What is looked up on the class comes with None."""
    name = subject.qualname.rpartition(".")[2]
    taken = [one for one in parameters if one.kind != "instance"]
    if name not in _ACCESSING or subject.loaded.binding != "method" or not taken or not is_unknown(taken[0].shape):
        return
    held: list[Any] = [New(_HOST, (), {"_" + _NAME: value, _NAME: value}) for value in (0, "", 2, "b")]
    taken[0].shape = ChoiceShape((New(_HOST, ()), *held, *([None] if name == "__get__" else [])))
    if name == "__get__" and len(taken) > 1 and is_unknown(taken[1].shape):
        taken[1].shape = ChoiceShape((Name("object"), None))


def classes_made_by(metaclass: type, scope: Mapping[str, Any]) -> Shape:
    """Return the classes of a module whose class is a metaclass; new ones where there is none."""
    made_so = [one for one in own_classes(scope) if is_subclass(type_of(one), metaclass)]
    known = [one for one in made_so if scope.get(one.__name__) is one]
    made = New(metaclass.__qualname__, ("Box", (), {"size": 1}))
    return ChoiceShape(tuple([Name(one.__name__) for one in known[:_MOST_CLASSES]]) or (made,))

"""Properties of source code that need no parsing."""

from __future__ import annotations

UNNAMED = "solution"
"""Name of the module that a program without a path becomes."""
SETTER = "="
"""Ends the name of the setter of a property, ``Box.width=``, as the getter has the property's own."""


def without_mark(source: str) -> str:
    """Return a program's source code without the byte order mark that it may begin with."""
    return source[1:] if source.startswith("\ufeff") else source


def attribute_path(qualname: str) -> str:
    """The way to a function from outside of its class, which keeps its ``__name`` under a longer one."""
    *outer, name = qualname.split(".")
    if outer and outer[-1].isidentifier() and name.startswith("__") and not name.endswith("__"):
        name = f"_{outer[-1].lstrip('_')}{name}"
    return ".".join([*outer, name])


def is_setter(qualname: str) -> bool:
    """Return whether a name is that of the setter of a property."""
    return qualname.endswith(SETTER)


def name_in_code(qualname: str) -> str:
    """Return the name by which a function is defined, without those of its classes."""
    return qualname.rpartition(".")[2].rstrip(SETTER)


def is_test_name(name: str) -> bool:
    """Return whether a file of that name is one of tests."""
    is_marked = name.startswith("test_") or name.endswith(("_test.py", "_tests.py"))
    return name in ("test.py", "tests.py") or (is_marked and name.endswith(".py"))


def dotted_name(stem: str, package: str | None) -> str:
    """Return the dotted name of the module in a file of that name, without its suffix, in a package or in none."""
    if not package:
        return stem
    return package if stem == "__init__" else f"{package}.{stem}"

"""Objects that stand for an argument of which nobody knows what it is: one that takes whatever a program does with it,
and one that takes nothing.

They tell whether a program uses the argument at all. No finding shows them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

ADAPTABLE, UNUSABLE = "adaptable_object", "unusable_object"
"""The names that recipes have for the makers."""
_SPECIAL = (
    "__bool__ __call__ __contains__ __enter__ __exit__ __getitem__ __setitem__ __iter__ __len__ __str__ __repr__ "
    "__format__ __eq__ __lt__ __gt__ __le__ __ge__ __add__ __radd__ __int__ __float__ __index__ __fspath__"
).split()


class AdaptableObject:
    """An object with all attributes, which is called, entered and searched, and is empty where a program goes
    through it."""

    def __getattr__(self, name: str) -> Any:
        """Return another such object; special methods are those of the class alone."""
        if name.startswith("__"):
            raise AttributeError(name)
        return AdaptableObject()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return another such object, whatever is passed."""
        return AdaptableObject()

    def __getitem__(self, key: Any) -> Any:
        """Return another such object, whatever the key is."""
        return AdaptableObject()

    def __contains__(self, item: Any) -> bool:
        """Return False: it holds nothing."""
        return False

    def __iter__(self) -> Iterator[Any]:
        """Go through nothing."""
        return iter(())

    def __len__(self) -> int:
        """Return 0."""
        return 0

    def __bool__(self) -> bool:
        """Return True, as for most objects."""
        return True

    def __enter__(self) -> Any:
        """Return another such object."""
        return AdaptableObject()

    def __exit__(self, *error: object) -> None:
        """Do nothing."""


class UnusableObject:
    """An object that can be handed on and stored, and compared by identity; all else fails, a test of its type too."""

    def __getattr__(self, name: str) -> Any:
        """Fail, as each use does; special methods are those of the class alone."""
        raise AttributeError(name) if name.startswith("__") else UsedError


class UsedError(Exception):
    """A program used what it was expected not to use."""


def _fail(self: object, *args: object, **kwargs: object) -> Any:
    raise UsedError


for _name in _SPECIAL:
    setattr(UnusableObject, _name, _fail)
UnusableObject.__hash__ = object.__hash__

ADAPTABLE_OBJECTS: dict[str, Any] = {ADAPTABLE: AdaptableObject, UNUSABLE: UnusableObject}
"""What makes these objects, by the names that recipes have for it."""

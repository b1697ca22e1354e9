"""Types of settings: each kind validates a plain value and describes the allowed values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from lsp_evalplus.fuzz.guest.values.recipes.parsing import from_text

from .exclusion import check_pattern


class Kind(Protocol):
    """A type of setting."""

    @property
    def allowed(self) -> str:
        """Describe the allowed values, as the end of the sentence "allowed is …"."""
        ...

    @property
    def schema(self) -> dict[str, object]:
        """The JSON Schema of the allowed values."""
        ...

    def parse(self, value: object) -> object:
        """Validate `value` and convert it to its stored form.

        Raises:
            ValueError: it is not allowed.
        """
        ...


@dataclass(frozen=True, slots=True)
class Number:
    """A number of seconds, megabytes and the like; whole when `whole`."""

    low: float
    high: float
    whole: bool = False

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return f"a {'whole ' if self.whole else ''}number from {self.low} to {self.high}"

    @property
    def schema(self) -> dict[str, object]:
        """The JSON Schema of the allowed values."""
        return {"type": "integer" if self.whole else "number", "minimum": self.low, "maximum": self.high}

    def parse(self, value: object) -> object:
        """Accept int and float, never bool."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ValueError
        if not self.low <= value <= self.high or (self.whole and value != int(value)):
            raise ValueError
        return int(value) if self.whole else float(value)


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    allowed: str = "true or false"

    @property
    def schema(self) -> dict[str, object]:
        """The JSON Schema of the allowed values."""
        return {"type": "boolean"}

    def parse(self, value: object) -> object:
        """Accept a bool only."""
        if not isinstance(value, bool):
            raise ValueError
        return value


@dataclass(frozen=True, slots=True)
class Text:
    """Any string; a subclass says which ones are allowed."""

    allowed: str = "a text"

    @property
    def schema(self) -> dict[str, object]:
        """The JSON Schema of the allowed values."""
        return {"type": "string"}

    def parse(self, value: object) -> object:
        """Accept an allowed str only."""
        if not isinstance(value, str):
            raise ValueError
        self.check(value)
        return value

    def check(self, text: str) -> None:
        """Raise `ValueError` where a string is not allowed."""


@dataclass(frozen=True, slots=True)
class Pattern(Text):
    """A pattern of files, as a line of ``.gitignore``."""

    allowed: str = "a pattern as in .gitignore, like tests/"

    def check(self, text: str) -> None:
        """Allow valid patterns."""
        check_pattern(text)


@dataclass(frozen=True, slots=True)
class Construction(Text):
    """An expression of literals, dotted names and calls of these."""

    allowed: str = 'a call with full names, like "shop.cart.Cart([3])"'

    def check(self, text: str) -> None:
        """Allow such expressions; they are not evaluated."""
        from_text(text)


@dataclass(frozen=True, slots=True)
class ModuleName(Text):
    """The dotted name of a module."""

    allowed: str = 'the dotted name of a module, like "shop.testing"'

    def check(self, text: str) -> None:
        """Allow what can be imported."""
        if not all(part.isidentifier() for part in text.split(".")):
            raise ValueError


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a fixed set of words."""

    words: tuple[str, ...]

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return "one of " + ", ".join(f'"{word}"' for word in self.words)

    @property
    def schema(self) -> dict[str, object]:
        """The JSON Schema of the allowed values."""
        return {"type": "string", "enum": list(self.words)}

    def parse(self, value: object) -> object:
        """Accept exactly one of the words."""
        if value not in self.words:
            raise ValueError
        return value


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of items of one kind."""

    item: Kind

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return f"a list; each item {self.item.allowed}"

    @property
    def schema(self) -> dict[str, object]:
        """The JSON Schema of the allowed values."""
        return {"type": "array", "items": self.item.schema}

    def parse(self, value: object) -> object:
        """Accept a list; store a tuple without duplicates."""
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise ValueError
        return tuple(dict.fromkeys(self.item.parse(item) for item in cast("Sequence[object]", value)))


@dataclass(frozen=True, slots=True)
class TableOf:
    """A table from strings, or from a fixed set of words, to one kind."""

    item: Kind
    keys: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """What is allowed."""
        keys = f" with keys among {', '.join(self.keys)}" if self.keys else ""
        return f"a table{keys}; each value {self.item.allowed}"

    @property
    def schema(self) -> dict[str, object]:
        """The JSON Schema of the allowed values."""
        if not self.keys:
            return {"type": "object", "additionalProperties": self.item.schema}
        return {
            "type": "object",
            "properties": dict.fromkeys(self.keys, self.item.schema),
            "additionalProperties": False,
        }

    def parse(self, value: object) -> object:
        """Accept a table; store it as pairs sorted by key, so that it is hashable."""
        if not isinstance(value, Mapping):
            raise ValueError
        table = cast("Mapping[object, object]", value)
        if not all(isinstance(key, str) and (not self.keys or key in self.keys) for key in table):
            raise ValueError
        return tuple(sorted((str(key), self.item.parse(item)) for key, item in table.items()))

"""Seeds the generators of random numbers that are shared by a process, so that tests make the same calls each time."""

from __future__ import annotations

import builtins
import contextlib
import random
import sys
import zlib
from collections.abc import Generator
from typing import Any

from ..values.makers.temporary_names import seed_temporary_names

SYSTEM = random.Random(0)
"""What `steady` draws in place of the system's random bytes."""


def seed(name: str = "") -> None:
    """Seed the generators: those of `random`, of what stands for the system's, and of numpy and faker where loaded.

    Temporary files get the same names, too: messages of tests have them.

    Args:
        name: of a test or a module, which draws other numbers than those of other names.
    """
    number = _number_of(name)
    seed_numbers(number)
    seed_temporary_names(number)


def _number_of(name: str) -> int:
    return zlib.crc32(name.encode("utf-8", "surrogatepass"))


def seed_numbers(number: int) -> None:
    """Seed the generators alone."""
    random.seed(number)
    SYSTEM.seed(number)
    numpy: Any = sys.modules.get("numpy.random")
    if numpy is not None:
        numpy.seed(number)
    faker: Any = sys.modules.get("faker.generator")
    if faker is not None:
        faker.random.seed(number)


@contextlib.contextmanager
def seeded_imports(name: str) -> Generator[None]:
    """Import a module within the block whose random numbers depend on its name alone, as do those of the modules that
    it imports: it draws the same, whether these were imported before or not. What is drawn later is not changed."""
    before = builtins.__import__

    def import_(name: str, namespace: Any = None, names: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if level == 0 and name in sys.modules and not fromlist:
            return before(name, namespace, names, fromlist, level)
        with _seeded_apart(name):
            return before(name, namespace, names, fromlist, level)

    builtins.__import__ = import_
    try:
        with _seeded_apart(name):
            yield
    finally:
        if builtins.__import__ is import_:
            builtins.__import__ = before


@contextlib.contextmanager
def _seeded_apart(name: str) -> Generator[None]:
    state, system = random.getstate(), SYSTEM.getstate()
    numpy: Any = sys.modules.get("numpy.random")
    numpy_state = None if numpy is None else numpy.get_state()
    seed_numbers(_number_of(name))
    try:
        yield
    finally:
        random.setstate(state)
        SYSTEM.setstate(system)
        if numpy is not None:
            numpy.set_state(numpy_state)

"""Persistent corpus: counterexamples of earlier runs, and inputs that increased coverage.

Stored in Hypothesis' example database (a folder per function, a file per input, written atomically), which is safe for
concurrent runs. Unreadable or invalid entries are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.guest.values.recipe import RecipeError, from_text
from lsp_evalplus.fuzz.model import ArgumentsText

if TYPE_CHECKING:
    from hypothesis.database import ExampleDatabase

_FOUND, _CORPUS = "found", "corpus"
_MAXIMUM_TEXT = 20_000
_MAXIMUM_CORPUS = 60
_MAXIMUM_FOUND = 10


class Memory:
    """The stored inputs below one folder. Hypothesis is imported on first use."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def recall(self, key: str) -> list[ArgumentsText]:
        """Return the stored inputs of a function: counterexamples first, each group shortest first."""
        if not self._folder.is_dir():
            return []
        found = self._fetch(key, _FOUND)
        return found + [text for text in self._fetch(key, _CORPUS) if text not in found]

    def keep(self, key: str, *, found: Iterable[ArgumentsText] = (), corpus: Iterable[ArgumentsText] = ()) -> None:
        """Store counterexamples and corpus inputs. An unwritable folder is not an error."""
        self._save(key, _FOUND, found, _MAXIMUM_FOUND)
        self._save(key, _CORPUS, corpus, _MAXIMUM_CORPUS)

    def forget(self, key: str, arguments: ArgumentsText) -> None:
        """Demote a counterexample to an ordinary input, in case of a regression."""
        try:
            self._database.move(_key(key, _FOUND), _key(key, _CORPUS), arguments.encode("utf-8", "surrogatepass"))
        except OSError:
            return

    @cached_property
    def _database(self) -> ExampleDatabase:
        from hypothesis.database import DirectoryBasedExampleDatabase

        return DirectoryBasedExampleDatabase(self._folder)

    def _fetch(self, key: str, kind: str) -> list[ArgumentsText]:
        try:
            stored = list(self._database.fetch(_key(key, kind)))
        except OSError:
            return []
        texts = [text for text in map(_to_arguments, stored) if text is not None]
        return sorted(texts, key=lambda text: (len(text), text))

    def _save(self, key: str, kind: str, arguments: Iterable[ArgumentsText], maximum: int) -> None:
        texts = [text for text in arguments if len(text) <= _MAXIMUM_TEXT]
        if not texts:
            return
        known = self._fetch(key, kind)
        try:
            for text in texts:
                self._database.save(_key(key, kind), text.encode("utf-8", "surrogatepass"))
            for text in [text for text in known if text not in texts][max(0, maximum - len(texts)) :]:
                self._database.delete(_key(key, kind), text.encode("utf-8", "surrogatepass"))
        except OSError:
            return


def open_memory(settings: Settings) -> Memory | None:
    """Open the corpus named in the settings; None if it is "off"."""
    if settings.database == "off":
        return None
    if settings.database:
        return Memory((settings.root or Path()) / Path(settings.database).expanduser())
    import platformdirs

    return Memory(Path(platformdirs.user_cache_dir("lsp-evalplus", appauthor=False)) / "examples")


def memory_key(path: str | None, name: str) -> str:
    """Return the key of a function: file and name, independent of its source."""
    return f"{Path(path).absolute().as_posix() if path else ''}::{name}"


def _key(key: str, kind: str) -> bytes:
    return f"lsp-evalplus/1/{kind}/{key}".encode("utf-8", "surrogatepass")


def _to_arguments(stored: bytes) -> ArgumentsText | None:
    """Decode a stored entry; None if it is not a valid input."""
    if len(stored) > 4 * _MAXIMUM_TEXT:
        return None
    try:
        text = stored.decode("utf-8", "surrogatepass")
        value = from_text(text)
    except (UnicodeDecodeError, RecipeError):
        return None
    return text if isinstance(value, (tuple, dict)) else None

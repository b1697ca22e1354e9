"""Persistent corpus: counterexamples of earlier runs, and inputs that increased coverage.

Stored in a SQLite database, which is safe for concurrent runs. Unreadable or invalid entries are ignored, and a damaged
database is replaced: what it held is found again by searching.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.guest.values.recipes.model import RecipeError
from lsp_evalplus.fuzz.guest.values.recipes.parsing import from_text
from lsp_evalplus.fuzz.model import ArgumentsText

if TYPE_CHECKING:
    import sqlite3

FILE = "inputs.sqlite3"
_FOUND, _CORPUS = "found", "corpus"
_MAXIMUM_TEXT = 20_000
_MAXIMUM_CORPUS = 60
_MAXIMUM_FOUND = 10
_BUSY_SECONDS = 5.0
"""How long one writer waits for others."""
_TABLE = """
CREATE TABLE IF NOT EXISTS inputs (
    function BLOB, kind TEXT, arguments BLOB, PRIMARY KEY (function, kind, arguments)
) WITHOUT ROWID
"""


class Memory:
    """The stored inputs below one folder. SQLite is imported on first use."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE

    def recall(self, key: str) -> list[ArgumentsText]:
        """Return the stored inputs of a function: counterexamples first, each group shortest first."""
        if not self._file.is_file():
            return []
        import sqlite3

        try:
            with self._opened() as database:
                found, corpus = _fetch(database, key, _FOUND), _fetch(database, key, _CORPUS)
        except (sqlite3.Error, OSError):
            return []
        return found + [text for text in corpus if text not in found]

    def keep(self, key: str, *, found: Iterable[ArgumentsText] = (), corpus: Iterable[ArgumentsText] = ()) -> None:
        """Store counterexamples and corpus inputs. An unwritable folder is not an error."""
        groups = [(_FOUND, _short(found), _MAXIMUM_FOUND), (_CORPUS, _short(corpus), _MAXIMUM_CORPUS)]
        if not any(texts for _, texts, _ in groups):
            return

        def write(database: sqlite3.Connection) -> None:
            for kind, texts, maximum in groups:
                _save(database, key, kind, texts, maximum)

        self._write(write)

    def forget(self, key: str, arguments: ArgumentsText) -> None:
        """Demote a counterexample to an ordinary input, in case of a regression."""

        def write(database: sqlite3.Connection) -> None:
            _delete(database, key, _FOUND, [arguments])
            _insert(database, key, _CORPUS, [arguments])

        self._write(write)

    def _write(self, write: Callable[[sqlite3.Connection], None]) -> None:
        import sqlite3

        for _ in range(2):
            try:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                with self._opened() as database:
                    database.execute("PRAGMA synchronous = OFF")
                    database.execute(_TABLE)
                    write(database)
                return
            except sqlite3.Error as error:
                if getattr(error, "sqlite_errorcode", None) not in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
                    return
                with contextlib.suppress(OSError):
                    self._file.unlink()
            except OSError:
                return

    @contextlib.contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        """Open the database for one transaction."""
        import sqlite3

        with contextlib.closing(sqlite3.connect(self._file, timeout=_BUSY_SECONDS)) as database, database:
            yield database


def _fetch(database: sqlite3.Connection, key: str, kind: str) -> list[ArgumentsText]:
    query = "SELECT arguments FROM inputs WHERE function = ? AND kind = ?"
    texts = [_to_arguments(stored) for (stored,) in database.execute(query, (_bytes(key), kind))]
    return sorted((text for text in texts if text is not None), key=lambda text: (len(text), text))


def _save(database: sqlite3.Connection, key: str, kind: str, texts: list[ArgumentsText], maximum: int) -> None:
    """Add inputs of a kind; the longest of the older ones give way where there are too many."""
    if texts:
        _insert(database, key, kind, texts)
        older = [text for text in _fetch(database, key, kind) if text not in texts]
        _delete(database, key, kind, older[max(0, maximum - len(texts)) :])


def _insert(database: sqlite3.Connection, key: str, kind: str, texts: list[ArgumentsText]) -> None:
    rows = [(_bytes(key), kind, _bytes(text)) for text in texts]
    database.executemany("INSERT OR IGNORE INTO inputs VALUES (?, ?, ?)", rows)


def _delete(database: sqlite3.Connection, key: str, kind: str, texts: list[ArgumentsText]) -> None:
    rows = [(_bytes(key), kind, _bytes(text)) for text in texts]
    database.executemany("DELETE FROM inputs WHERE function = ? AND kind = ? AND arguments = ?", rows)


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


def _short(texts: Iterable[ArgumentsText]) -> list[ArgumentsText]:
    return [text for text in texts if len(text) <= _MAXIMUM_TEXT]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _to_arguments(stored: object) -> ArgumentsText | None:
    """Decode a stored entry; None if it is not a valid input."""
    if not isinstance(stored, bytes) or len(stored) > 4 * _MAXIMUM_TEXT:
        return None
    try:
        text = stored.decode("utf-8", "surrogatepass")
        value = from_text(text)
    except (UnicodeDecodeError, RecipeError):
        return None
    return text if isinstance(value, (tuple, dict)) else None

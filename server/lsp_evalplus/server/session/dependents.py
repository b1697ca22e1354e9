"""Changes of references and dependencies: which functions they concern, and which checks began before them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lsp_evalplus.server.checking.state import FileState, FunctionState
from lsp_evalplus.server.checking.triggers import Event


class Dependents:
    """Notifies files of changes of what their functions depend on.

    A check reads other files once, when it begins. Changes are numbered, so that a check under way can be told from
    one that has seen the latest of them.
    """

    def __init__(self, files: Mapping[str, FileState], notice: Callable[[str, Event], None]) -> None:
        self._files = files
        self._notice = notice
        self._latest: dict[str, tuple[int, Event]] = {}
        """By path: the number of its latest change, and what it was."""
        self._count = 0

    def changed(self, path: str | None, event: Event = Event.OUTSIDE) -> None:
        """A file was changed: whatever depends on it is looked at."""
        if path is None:
            return
        self._count += 1
        self._latest[path] = self._count, event
        for uri, file in self._files.items():
            if any(path in _dependencies(one) for one in file.functions.values()):
                self._notice(uri, event)

    def begin(self, state: FunctionState) -> None:
        """A check of a function begins now."""
        state.job_change = self._count

    def missed(self, state: FunctionState) -> Event | None:
        """The latest change of a dependency since the function's check began; None if there is none."""
        changes = [self._latest[path] for path in _dependencies(state) if path in self._latest]
        number, event = max(changes, default=(0, Event.OUTSIDE))
        return event if number > state.job_change else None


def _dependencies(state: FunctionState) -> tuple[str, ...]:
    return state.prepared.depends_on if state.prepared is not None else ()

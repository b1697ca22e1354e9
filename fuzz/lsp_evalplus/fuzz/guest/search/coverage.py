"""Coverage: the blocks and comparisons that instrumented programs reached."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any, Callable

from ..calling.instrument import COUNTERS, MORE, ONCE, SEEN, TWICE


class Feedback:
    """Reads and clears the counters of instrumented programs that run together.

    Only what a call of the function itself reaches counts, not what makes its arguments and compares its results.

    Args:
        namespaces: of the programs.
        blocks: the numbers of the blocks of the function itself, for each of them.
        changed: those in which it has something that the other program has not.
    """

    def __init__(
        self, namespaces: Sequence[dict[str, Any]], blocks: Sequence[Set[int]] = (), changed: Sequence[Set[int]] = ()
    ) -> None:
        self._left = [set(one) for one in blocks]
        self.has_branches = not blocks or any([len(one) > 1 for one in blocks])
        """Whether the function itself has more than one block in any of them; also where nothing is known of it."""
        self._changed = changed
        self._counters: list[Any] = [n[COUNTERS] for n in namespaces]
        self._zeros = [bytes(len(c)) for c in self._counters]
        self._reached = list(self._zeros)
        self._is_called = [False] * len(namespaces)
        self._seen: list[dict[int, Any]] = [n[SEEN] for n in namespaces]
        self._compared: list[dict[int, Any]] = [{} for _ in namespaces]
        self.signatures: dict[bytes, bool] = {}
        self.features: dict[Any, bool] = {}

    def watch(self, number: int, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return the call of the program with a number, of which what the first after `clear` reaches is kept."""
        counters, zeros, seen = self._counters[number], self._zeros[number], self._seen[number]

        def watched(*args: Any, **kwargs: Any) -> Any:
            if self._is_called[number]:
                return call(*args, **kwargs)
            self._is_called[number] = True
            counters[:] = zeros
            seen.clear()
            try:
                return call(*args, **kwargs)
            finally:
                self._reached[number], self._compared[number] = bytes(counters), dict(seen)

        return watched

    def clear(self) -> None:
        """Forget what the last calls reached."""
        self._reached = list(self._zeros)
        self._is_called = [False] * len(self._is_called)
        self._compared = [{} for _ in self._compared]

    def novelty(self) -> int:
        """3 when a block was reached or repeated for the first time, 2 when it was repeated as often as never before,
        1 when only the combination is new, else 0."""
        joint = b"".join(self._reached)
        if joint in self.signatures:
            return 0
        self.signatures[joint] = True
        for left, reached in zip(self._left, self._reached):
            left -= {block for block in left if reached[block]}
        novelty = 1
        for index, count in enumerate(joint):
            if count and (index, count) not in self.features:
                self.features[(index, count)] = True
                is_repeated = count > ONCE and (index, MORE if count == TWICE else TWICE) in self.features
                novelty = max(novelty, 2 if is_repeated else 3)
        return novelty

    @property
    def is_complete(self) -> bool:
        """Whether the calls reached every block of the function, in each program."""
        return bool(self._left) and not any(self._left)

    @property
    def misses_change(self) -> bool:
        """Whether the calls reached no block in which the programs differ."""
        return any(self._changed) and all([ours <= left for ours, left in zip(self._changed, self._left)])

    def branches(self) -> int:
        """Blocks reached so far."""
        return len({index for index, _ in self.features})

    def comparisons(self) -> dict[Any, Any]:
        """Both operands of each comparison of the last call, by program and position."""
        return {(number, site): sides for number, seen in enumerate(self._compared) for site, sides in seen.items()}

    def operands(self) -> list[Any]:
        """Numbers and strings that were compared with something else in the last call."""
        found: list[Any] = []
        for seen in self._compared:
            for one, two in list(seen.values()):
                if type(one) in (int, float, str) and type(two) in (int, float, str) and one != two:
                    found += [one, two]
        return found

"""How exactly accepted code is recognised, kind by kind: ``python -m tests.server.acceptance.corpus.measure``."""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from . import accepted_edits, own_edits
from .recording import Recording
from .replay import play

SEEDS = {
    1: "standard library, tuned on",
    2: "standard library, held back until the first count",
    4: "installed packages, held back until streams were mended",
    3: "installed packages, held back until stashes were mended",
}
ACCEPTED = ("agent", "suggestion", "streamed", "pasted", "patch")
SMALL = ("agent, few lines",)
"""Measured, but nothing is required: of one or two lines nobody can say whether they were typed."""
OWN = ("formatter", "rename", "snippet", "typing", "undo", "own paste", "checkout", "merge", "stash")


@dataclass(slots=True)
class Score:
    """How many edits of a kind were told rightly, and by which way those were made that were not."""

    is_accepted: bool
    right: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Edits of this kind."""
        return self.right + len(self.wrong)

    @property
    def recall(self) -> float:
        """The share that was told rightly."""
        return self.right / self.count


def recordings(kind: str, seed: int, folder: Path) -> list[Recording]:
    """The recorded edits of a kind; git and formatters work in `folder`."""
    match kind:
        case "patch":
            return accepted_edits.patch(seed, folder / "patch")
        case "formatter" | "checkout" | "merge" | "stash":
            return getattr(own_edits, kind)(seed, folder / kind)
        case "agent, few lines":
            return accepted_edits.agent(seed, few_lines=True)
        case _:
            name = kind.replace(" ", "_")
            return getattr(accepted_edits if kind in ACCEPTED else own_edits, name)(seed)


def judge(kind: str, made: Iterable[Recording], folder: Path) -> Score:
    """Play the edits of a kind.

    Right is: of an edit by others, functions that it changed and no others count as accepted; of an own one, none.
    """
    folder.mkdir(parents=True, exist_ok=True)
    score = Score(kind in (*ACCEPTED, *SMALL))
    for number, recording in enumerate(made):
        marked, changed = play(recording, folder)
        is_right = bool(marked) and marked <= changed if score.is_accepted else not marked
        score.right += is_right
        if not is_right:
            score.wrong.append(f"{number}: {recording.way} {sorted(marked)} of {sorted(changed)}")
    return score


def scores(seed: int, folder: Path, kinds: Iterable[str] = (*ACCEPTED, *OWN)) -> dict[str, Score]:
    """The scores of all kinds."""
    return {kind: judge(kind, recordings(kind, seed, folder), folder / "project") for kind in kinds}


def precision(kind: str, found: dict[str, Score]) -> float:
    """How far a verdict can be trusted where edits of this kind, and in the same number edits of the other side, occur.

    Each kind of the other side has the same share in these. So the figure does not depend on how many kinds there are.
    """
    own = found[kind]
    others = [one for name, one in found.items() if one.is_accepted is not own.is_accepted and name not in SMALL]
    taken_for_it = sum(1 - one.recall for one in others) / max(len(others), 1)
    return own.recall / (own.recall + taken_for_it) if own.right else 0.0


def table(found: dict[str, Score]) -> Iterator[str]:
    """The scores as a table in Markdown."""
    yield "| edit | counts as accepted | edits | told rightly | recall | precision |"
    yield "|---|---|---|---|---|---|"
    for kind, score in found.items():
        cells = [kind, "yes" if score.is_accepted else "no", str(score.count), str(score.right)]
        yield f"| {' | '.join(cells)} | {score.recall:.1%} | {precision(kind, found):.1%} |"


def main() -> None:
    """Print a table for each seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, nargs="*", default=list(SEEDS))
    parser.add_argument("--kind", nargs="*", default=[*ACCEPTED, *OWN, *SMALL])
    parser.add_argument("--wrong", action="store_true", help="also list the edits that were told wrongly")
    options = parser.parse_args()
    for seed in options.seed:
        with tempfile.TemporaryDirectory() as folder:
            found = scores(seed, Path(folder), options.kind)
        print(f"\nseed {seed}, {SEEDS.get(seed, 'another one')}\n")
        print("\n".join(table(found)))
        for kind, score in found.items() if options.wrong else ():
            ways = Counter(one.split(": ", 1)[1].split(" [")[0] for one in score.wrong)
            print(f"\n{kind}: {dict(ways)}", *score.wrong, sep="\n  ")


if __name__ == "__main__":
    main()

"""Work trees are looked at for clients that do not watch files; see `test_outside` for the whole way."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from lsp_evalplus.server.analysis.git_watcher import GitWatcher
from lsp_evalplus.server.analysis.worktree import TreeState, own_files, stands_elsewhere, tree_state

CODE = "def f(x):\n    if x:\n        return 1\n    return 2\n"


class Told:
    """Gives states one after another and notes what it is told."""

    def __init__(self, *states: TreeState) -> None:
        self.states = list(states)
        self.files: list[list[str]] = []
        self.heads = 0

    async def ask(self, folders: Sequence[str]) -> TreeState:
        return self.states.pop(0)

    async def on_files(self, uris: Sequence[str]) -> None:
        self.files.append([uri.rpartition("/")[2] for uri in uris])

    async def on_head(self) -> None:
        self.heads += 1


async def test_what_is_different_is_told_and_nothing_else() -> None:
    told = Told(
        TreeState(("1",), {"/p/a.py": (1, 1)}),
        TreeState(("1",), {"/p/a.py": (1, 1)}),
        TreeState(("1",), {"/p/a.py": (2, 1), "/p/b.py": (1, 1)}),
        TreeState(("2",), {"/p/b.py": (1, 1)}),
    )
    around = GitWatcher(told.ask, told.on_files, told.on_head)

    for _ in range(4):
        await around.look(["/p"])

    assert told.files == [["a.py", "b.py"], ["a.py"]]
    assert told.heads == 1


async def test_after_a_while_without_a_look_all_begins_anew() -> None:
    told = Told(TreeState(("1",), {}), TreeState(("2",), {"/p/a.py": (1, 1)}))
    around = GitWatcher(told.ask, told.on_files, told.on_head)

    for folders in (["/p"], [], ["/p"]):
        await around.look(folders)

    assert (told.files, told.heads) == ([], 0)


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, timeout=280)


def test_the_state_of_a_work_tree(tmp_path: Path) -> None:
    assert (tree_state([str(tmp_path)]).heads, tree_state([str(tmp_path)]).files) == ((), {})
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text(CODE)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    clean = tree_state([str(tmp_path)])
    (tmp_path / "a.py").write_text(CODE + "\n")
    (tmp_path / "b.py").write_text(CODE)
    (tmp_path / "c.txt").write_text(CODE)

    changed = tree_state([str(tmp_path)])

    assert clean.files == {}
    assert len(clean.heads[0]) == 40
    assert changed.heads == clean.heads
    assert sorted(Path(path).name for path in changed.files) == ["a.py", "b.py"]
    assert changed.files[str(tmp_path.resolve() / "b.py")][1] == len(CODE)


def test_only_the_projects_own_files(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("skipped/\n")
    (tmp_path / "tools" / "e").mkdir(parents=True)
    (tmp_path / "tools" / "e" / "pyvenv.cfg").touch()
    names = ["a.py", "src/p/b.py", "skipped/c.py", ".hidden/d.py", "tools/e/f.py", "tools/g.py", "dist/h.py"]
    paths = [str(tmp_path / name) for name in names]

    assert own_files(paths, [str(tmp_path)]) == [paths[0], paths[1], paths[5]]
    # What the workspace lies in is not asked about: a project may be below a hidden folder.
    assert own_files([paths[3]], [str(tmp_path / ".hidden")]) == [paths[3]]
    assert own_files([paths[0]], []) == [paths[0]]
    assert own_files([], []) == []


def test_where_a_text_stands(tmp_path: Path) -> None:
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "a.py").write_text(CODE)
    (tmp_path / "own.py").write_text(CODE)
    (tmp_path / "bytes.py").write_bytes(b"\xff\xfe")
    assert not stands_elsewhere(CODE, str(tmp_path), str(tmp_path / "own.py"))

    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "b.py").write_text(f"import os\n\nclass A:\n{CODE.replace('def', '    def')}")

    assert stands_elsewhere(CODE, str(tmp_path), str(tmp_path / "own.py"))

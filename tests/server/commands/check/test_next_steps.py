"""What `check` says where nothing has an oracle, and how it marks what has hardly one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lsp_evalplus.commands.check.sample_calls import sample_call
from lsp_evalplus.fuzz.source.discover import find_target

from ..conftest import Run

ALONE = 'def slug(title: str, limit: int = 9) -> str:\n    """Shorten."""\n    return title[:limit]\n'


@pytest.mark.parametrize(
    ("source", "call"),
    [
        ("def f(n: int, xs: list[int], *, key: str): ...", "f(3, [3, 1, 2], key='abc')"),
        ("def f(x: Optional[dict[str, float]], y: 'tuple[int, ...]' ): ...", "f({'abc': 2.5}, (3,))"),
        ("def f(mode: Literal['r', 'w'], x: None | bytes = None): ...", "f('r')"),
        ("def f(x, y=1):\n    '''Go.\n\n    Args:\n        x (list of int): numbers\n    '''", "f([3, 1, 2])"),
        ("def f(x):\n    '''Double: f(21).'''", "f(21)"),
        ("def f(x):\n    '''\n    >>> f('ab', )\n    '''", "f('ab')"),
        ("def f(x: Thing): ...", None),
        ("def f(x): ...", None),
        ("async def f(x: int): ...", None),
    ],
)
def test_a_call_to_begin_an_example_with(source: str, call: str | None) -> None:
    assert sample_call(find_target(source, "f")) == call


def test_without_any_oracle_the_next_steps_are_told(run: Run, project: Path) -> None:
    (project / "a.py").write_text(ALONE, encoding="utf-8")
    ran = run("check", "a.py")
    assert ran.code == 0
    assert "Nothing says what this function should return." in ran.out
    assert ">>> slug('abc')" in ran.out
    assert "in the docstring of slug (a.py:1)" in ran.out
    assert "lsp-evalplus check --oracle robustness a.py" in ran.out
    assert "--oracle git" not in ran.out  # There is no repository.
    assert "--reference" not in ran.out
    assert run("check", "a.py", "-q").out == ""
    assert "Nothing says" not in run("check", "a.py", "--oracle", "annotation").out


@pytest.mark.parametrize(
    ("body", "call"),
    [
        ("def __init__(self, x): self.x = x", "Cart(...)"),
        ("def __init__(self, x): self.x = x\n    def total(self, y): return y", "total(...)"),
        ("def _private(self, x): return x\n    def shown(self, y): return y", "shown(...)"),
    ],
)
def test_an_example_calls_what_users_call(body: str, call: str, run: Run, project: Path) -> None:
    (project / "a.py").write_text(f"class Cart:\n    {body}\n", encoding="utf-8")
    assert f"`>>> {call}` with its result" in run("check", "a.py").out


@pytest.mark.parametrize(
    ("file", "source", "named"),
    [
        ("old/b.py", "def slug(title, limit=3):\n    return 'x'\n", "old/b.py::slug"),
        ("a.py", ALONE + ALONE.replace("slug", "slug_naive"), "a.py::slug_naive"),
        ("old/b.py", "def slug(title):\n    return 'x'\n", None),
        ("old/b.py", "def slug(title, limit=3):\n    return open(title)\n", None),
        ("old/b.py", "class C:\n    def slug(self, title, limit=3):\n        return 'x'\n", None),
    ],
)
def test_a_second_implementation_is_named(file: str, source: str, named: str | None, run: Run, project: Path) -> None:
    (project / "old").mkdir()
    (project / "a.py").write_text(ALONE, encoding="utf-8")
    (project / file).write_text(source, encoding="utf-8")
    out = run("check", "a.py").out
    if named is None:
        assert "--reference" not in out
    else:
        assert f"lsp-evalplus check a.py::slug --reference {named}" in out


def test_git_is_a_step_in_a_repository(run: Run, project: Path) -> None:
    (project / "a.py").write_text(ALONE, encoding="utf-8")
    git = ["git", "-C", str(project), "-c", "user.name=n", "-c", "user.email=e@x"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run([*git, *command], check=True)
    assert "check --oracle git a.py  (after your next change: " in run("check", "a.py").out
    (project / "a.py").write_text(ALONE.replace("9", "8"), encoding="utf-8")
    assert "check --oracle git a.py  (compares 1 changed file with git HEAD)" in run("check", "a.py").out


@pytest.mark.parametrize(
    ("name", "strict", "code"), [("unjudged", True, 5), ("unjudged", False, 0), ("same", True, 0), ("median", True, 1)]
)
def test_strict_demands_that_something_is_checked(name: str, strict: bool, code: int, run: Run) -> None:
    assert run("check", f"stats.py::{name}", *(["--strict"] if strict else [])).code == code


@pytest.mark.parametrize(("examples", "mark"), [(1, "○"), (2, "✓")])
def test_a_single_example_is_no_tick(examples: int, mark: str, run: Run, project: Path) -> None:
    lines = "".join(f"    >>> f({number})\n    {number}\n" for number in range(examples))
    (project / "a.py").write_text(f'def f(x):\n    """\n{lines}    """\n    return x\n', encoding="utf-8")
    ran = run("check", "a.py")
    assert ran.out.startswith(f"{mark} a.py:1  f: ")
    assert ("(1 of them by one example only)" in ran.out) == (examples == 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["README.md"], "README.md is no Python file"),
        (["stats.py", "--reference", "other.py"], "--reference other.py judges nothing: none of its functions (nope)"),
    ],
)
def test_what_cannot_be_is_one_sentence(arguments: list[str], said: str, run: Run, project: Path) -> None:
    stats = project / "stats.py"
    stats.write_text(stats.read_text(encoding="utf-8").replace("# lsp-evalplus", "#"), encoding="utf-8")
    (project / "README.md").write_text("Words.\n", encoding="utf-8")
    (project / "other.py").write_text("def nope(x):\n    return x\n", encoding="utf-8")
    ran = run("check", *arguments)
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert said in ran.err

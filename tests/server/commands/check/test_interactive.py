"""`check --interactive`, in a real terminal: what is asked, what each answer writes, and how it ends."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.llm.consent import Consents

from .... import forked
from ..conftest import Run

if sys.platform != "win32":
    import pty

needs_pty = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
PROMPT = "]: "
SILENCE = 60
"""Seconds without output after which a command is taken to hang."""
COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
LOWER = """

# lsp-evalplus: reference=trusted.py::median
def lower(values: list[int]) -> float:
    '''Lower.'''
    return min(values)


def twice(x: int) -> int:
    assert x > -100
    y = 2 * x
    assert y >= 0
    return y
"""


class Terminal:
    """A command in a pseudo-terminal: its output is read up to what is waited for, keys are typed."""

    def __init__(self, folder: Path, command: Sequence[str], **environment: str) -> None:
        self._ours, theirs = pty.openpty()
        self.output = ""
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            # The terminal becomes the controlling one of the new session, so that Ctrl-C is a signal.
            preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),
            env={**os.environ, "VIRTUAL_ENV": sys.prefix, "TERM": "dumb", "COLUMNS": "200", **environment},
        )
        os.close(theirs)

    def wait_for(self, text: str) -> str:
        """Read until `text` is there; return what came since the last call."""
        came = self._read(text)
        assert text in came, f"the command ended before it wrote {text!r}; it wrote:\n{self.output}"
        return came

    def answer(self, keys: str) -> str:
        """Type a line, and return what is said up to the next question."""
        self._type(f"{keys}\n")
        return self.wait_for(PROMPT)

    def last_answer(self, keys: str) -> str:
        """Type a line, and return what is said until the end."""
        self._type(f"{keys}\n")
        return self._read(None)

    def interrupt(self) -> str:
        """Type Ctrl-C, and return what is said until the end.

        Between its prompt and its wait for keys, `input` sees a signal only with the next key: then Ctrl-C comes again.
        """
        self._type("\x03")
        came = ""
        while "kept." not in came and (chunk := self._chunk(came, None, again="\x03")):
            came += chunk
        self.output += came
        return came + self._read(None)

    def end(self) -> int:
        """Wait for the end, and return the exit code."""
        self._read(None)
        return self._process.wait(timeout=SILENCE)

    def _type(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def _read(self, text: str | None) -> str:
        """Read until `text` is there, or the command ends; without a text, until it ends."""
        came = ""
        while (text is None or text not in came) and (chunk := self._chunk(came, text)):
            came += chunk
        self.output += came
        return came

    def _chunk(self, came: str, text: str | None, again: str = "") -> str:
        """Return what comes next, nothing at the end; type `again` each time that nothing came for a second."""
        for _ in range(SILENCE):
            if select.select([self._ours], [], [], 1.0)[0]:
                break
            self._type(again)
        else:
            waited_for = "its end" if text is None else repr(text)
            raise AssertionError(f"nothing came for {SILENCE} s while waiting for {waited_for}:\n{self.output}{came}")
        try:
            data = os.read(self._ours, 65536)
        except OSError:  # Linux says so when the other side is closed.
            data = b""
        return COLOUR.sub("", data.decode("utf-8", "replace")).replace("\r\n", "\n")

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._ours)


@pytest.fixture
def terminal(project: Path, tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """Starts ``check --interactive`` in the project: in a fork, which Ctrl-C does not reach, or as it is installed."""
    opened: list[Terminal] = []
    places = {name: str(tmp_path / name) for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME")}

    def start(*arguments: str, is_installed: bool = False) -> Terminal:
        command = (str(forked.SCRIPT),) if is_installed else forked.command()
        opened.append(Terminal(project, (*command, "check", *arguments, "--interactive"), **places))
        opened[-1].wait_for(PROMPT)
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def commit(project: Path) -> None:
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        name = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *name, *command], cwd=project, check=True)


@pytest.fixture
def several(project: Path) -> Path:
    """A file with three functions that are wrong."""
    path = project / "stats.py"
    path.write_text(path.read_text(encoding="utf-8") + LOWER, encoding="utf-8")
    return path


@pytest.mark.slow
@needs_pty
def test_each_finding_is_asked_about_and_edits_of_one_file_add_up(
    terminal: Callable[..., Terminal], several: Path, project: Path
) -> None:
    asked = terminal("stats.py::median", "stats.py::lower", "stats.py::twice")
    assert "Finding 1 of 3\nstats.py:2:5: differs-from-reference median([0, 1]) returns 1" in asked.output
    said = asked.answer("e")
    assert "wrote the example median([0, 1]) to the docstring of median in stats.py" in said
    assert "+    >>> median([0, 1])\n" in said
    assert "  e  " not in said, "what is done is not offered again"
    assert "wrote test_stats.py\n" in asked.answer("t")
    said = asked.answer("i")
    assert "wrote a comment that ignores this finding of median in stats.py" in said
    line = several.read_text(encoding="utf-8").split("\n").index("def lower(values: list[int]) -> float:") + 1
    assert f"Finding 2 of 3\nstats.py:{line}:5: differs-from-reference lower(" in said, "as the file is now"
    assert "wrote the example lower(" in asked.answer("e")
    assert "Finding 3 of 3" in asked.answer("")
    assert "\n  1  assert x >= 0\n" in asked.answer("p")
    said = asked.last_answer("1")
    assert "wrote assert x >= 0 into twice in stats.py" in said
    assert "No more findings." in said
    assert asked.end() == 1
    text = several.read_text(encoding="utf-8")
    head = r"# lsp-evalplus: reference=trusted\.py\n# lsp-evalplus: ignore=\w+\n"
    assert re.match(head + r"def median\(.*\n    \"\"\"\n    >>> median", text)
    lower = text.partition("def lower")[2]
    assert lower.index("'''Lower.\n\n    >>> lower(") < lower.index("return min")
    assert "def twice(x: int) -> int:\n    assert x >= 0\n    assert x > -100\n" in text
    assert "def test_median(" in (project / "test_stats.py").read_text(encoding="utf-8")


@needs_pty
def test_what_was_settled_is_found_no_more(
    terminal: Callable[..., Terminal], several: Path, project: Path, run: Run
) -> None:
    asked = terminal("stats.py::median", "stats.py::twice")
    asked.answer("i")
    asked.answer("p")
    asked.last_answer("1")
    assert asked.end() == 1
    assert run("check", "stats.py::median", "stats.py::twice").code == 0


@needs_pty
def test_precondition_goes_into_the_reference_and_can_be_chosen(
    terminal: Callable[..., Terminal], project: Path
) -> None:
    (project / "trusted.py").write_text(
        "def part(xs, n):\n    '''\n    >>> part([1, 2], 1)\n    [1]\n    '''\n    return xs[:max(n, 0)]\n",
        encoding="utf-8",
    )
    text = "# lsp-evalplus: reference=trusted.py\ndef part(xs: list[int], n: int) -> list[int]:\n    return xs[:n]\n"
    (project / "part.py").write_text(text, encoding="utf-8")
    asked = terminal("part.py")
    said = asked.answer("p")
    conditions = re.findall(r"^  (\d)  assert (.+)$", said, re.MULTILINE)
    assert [number for number, _ in conditions] == ["1", "2", "3"]
    assert "  p  this input is not valid" in asked.answer("0"), "none of them was chosen"
    asked.answer("p")
    said = asked.last_answer("2")
    assert f"wrote assert {conditions[1][1]} into part in trusted.py" in said
    assert asked.end() == 1
    assert f"    assert {conditions[1][1]}\n    return xs" in (project / "trusted.py").read_text(encoding="utf-8")
    assert (project / "part.py").read_text(encoding="utf-8") == text


@needs_pty
def test_previous_version_is_restored(terminal: Callable[..., Terminal], project: Path) -> None:
    path = project / "stats.py"
    good = path.read_text(encoding="utf-8").replace("x + 0", "x")
    path.write_text(good, encoding="utf-8")
    commit(project)
    path.write_text(
        "import os\n\n" + good.replace("return x\n\n\ndef unj", "return x + 1\n\n\ndef unj"), encoding="utf-8"
    )
    asked = terminal("stats.py::same")
    assert "  r  restore same from git HEAD" in asked.output
    said = asked.last_answer("r")
    assert "restored same from git HEAD in stats.py" in said
    assert "-    return x + 1\n+    return x\n" in said
    assert asked.end() == 1
    assert path.read_text(encoding="utf-8") == "import os\n\n" + good


@needs_pty
def test_function_is_shown_and_quitting_leaves_the_rest(terminal: Callable[..., Terminal], several: Path) -> None:
    before = several.read_bytes()
    asked = terminal("stats.py::median", "stats.py::lower")
    said = asked.answer("s")
    assert "     2  def median(values: list[int]) -> float:\n     3      return sorted(values)" in said
    assert "        result = median([0, 1])\n" in said
    assert "restore" not in said, "there is no repository"
    assert "correction" not in said, "no model is named"
    assert "'x' is not one of" in asked.answer("x")
    assert "2 findings left as they are." in asked.last_answer("q")
    assert asked.end() == 1
    assert several.read_bytes() == before


@needs_pty
def test_interrupt_keeps_what_was_written(terminal: Callable[..., Terminal], several: Path) -> None:
    asked = terminal("stats.py::median", "stats.py::lower", is_installed=True)
    asked.answer("e")
    said = asked.interrupt()
    assert said.endswith("\nStopped; what was written so far is kept.\n")
    assert "Traceback" not in asked.output
    assert asked.end() == 130
    assert several.read_text(encoding="utf-8").count(">>> ") == 1


@needs_pty
def test_file_that_is_edited_meanwhile_is_left_alone(terminal: Callable[..., Terminal], project: Path) -> None:
    path = project / "stats.py"
    asked = terminal("stats.py::median")
    changed = "# mine\n" + path.read_text(encoding="utf-8")
    path.write_text(changed, encoding="utf-8")
    said = asked.answer("i")
    assert "median: nothing was written, because stats.py has changed since it was read." in said
    assert "median cannot be edited, because stats.py has changed since it was read." in said
    assert "What to do (n, q)" in said
    asked.last_answer("n")
    assert asked.end() == 1
    assert path.read_text(encoding="utf-8") == changed


@needs_pty
def test_model_is_asked_where_it_may_be(
    terminal: Callable[..., Terminal], project: Path, tmp_path: Path, serve: Callable[..., Any]
) -> None:
    right = "def same(x: int) -> int:\n    return x\n"
    server = serve(lambda _: [f"```python\n{right}```"])
    Consents(tmp_path / "XDG_CONFIG_HOME" / "lsp-evalplus" / "llm-consent.json").allow(project, server.base_url)
    path = project / "stats.py"
    good = path.read_text(encoding="utf-8")
    path.write_text(good.replace("x + 0", "x + 1"), encoding="utf-8")
    asked = terminal("stats.py::same", "--model", "tiny", "--base-url", server.base_url)
    assert server.requests == []
    assert "  f  ask tiny for a correction" in asked.output
    said = asked.last_answer("f")
    assert "wrote a correction of same by tiny to stats.py; the check finds nothing against it" in said
    assert "-    return x + 1\n+    return x\n" in said
    assert asked.end() == 1
    assert path.read_text(encoding="utf-8") == good.replace("x + 0", "x")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("stats.py",), "--interactive asks in a terminal, and standard input or output is none; "),
        (("stats.py", "--format", "json"), "leave out --format and --output-file"),
        (("stats.py", "-o", "out.txt"), "leave out --format and --output-file"),
        (("--staged",), "--interactive: --staged checks text that may be in no file"),
        (("--pairs", "-"), "--interactive: the functions of --pairs are in no file"),
        (("stats.py", "--base-url", "http://localhost:1/v1"), "--base-url needs --model"),
    ],
)
def test_bad_requests(run: Run, arguments: tuple[str, ...], message: str) -> None:
    ran = run("check", "--interactive", *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert ran.out == ""

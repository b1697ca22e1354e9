"""The command line as such: what is imported when, and how every kind of failure ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lsp_evalplus.cli import COMMANDS, main
from lsp_evalplus.commands.group import run_group

FAILING = """
import click
from lsp_evalplus.fuzz.errors import GuestStartError, UserError

@click.command()
@click.argument("how")
def fail(how):
    if how == "user":
        raise UserError("the budget is wrong.")
    if how == "worker":
        raise GuestStartError("guests cannot be started")
    if how == "bug":
        raise ZeroDivisionError("secret details")
    if how == "interrupt":
        raise KeyboardInterrupt
    if how == "abort":
        raise click.Abort
    if how == "click":
        raise click.UsageError("no such thing")
    return int(how)
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lsp_evalplus", *arguments], capture_output=True, text=True, timeout=280, check=False
    )


def test_help_lists_every_command_without_importing_one() -> None:
    code = (
        "import sys\nfrom lsp_evalplus.cli import COMMANDS, main\n"
        "assert main(['--help']) == 0\n"
        "loaded = [place for place, _ in COMMANDS.values() if place.partition(':')[0] in sys.modules]\n"
        "print(loaded, 'asyncio' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=280, check=True)
    assert done.stdout.splitlines()[-1] == "[] False"
    for name, (_, about) in COMMANDS.items():
        assert any(line.split()[:1] == [name] for line in done.stdout.splitlines())
        assert about.split()[0] in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_exists_and_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"Usage: lsp-evalplus {name}")


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_version(flag: str) -> None:
    done = run(flag)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("lsp-evalplus ")


@pytest.mark.parametrize("arguments", [["frobnicate"], ["check", "--frobnicate"], ["--frobnicate"]])
def test_usage_errors_end_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert "frobnicate" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chekc"], "there is no command 'chekc'; did you mean 'check'? `lsp-evalplus --help` lists what there is."),
        (["code.py"], "did you mean `lsp-evalplus check code.py`?"),
        (["xyzzy"], "the commands are check, cover, serve, "),
        (["check", "--refrence"], "Did you mean '--reference'? `lsp-evalplus check --help` lists what there is."),
        (["bench", "comprae"], "Did you mean 'compare'? `lsp-evalplus bench --help` lists what there is."),
        (
            ["bench", "compare"],
            "Missing argument 'RESULTS...'. `lsp-evalplus bench compare --help` lists what there is.",
        ),
    ],
)
def test_usage_errors_are_one_sentence_of_one_style(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.startswith("lsp-evalplus: ")
    assert written.err.count("\n") == 1
    assert said in written.err


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_the_server_in_a_terminal_says_what_it_waits_for() -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "lsp_evalplus", "serve"]
    with subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stderr is not None
        said = server.stderr.readline()
        server.kill()
    os.close(ours)
    os.close(theirs)
    assert b"waits for an editor" in said
    assert b"lsp-evalplus check" in said


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[str, str]]:
    (tmp_path / "failing_command.py").write_text(FAILING, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("platformdirs.user_log_dir", lambda *_: str(tmp_path / "logs"))
    return {"fail": ("failing_command:fail", "Fails.")}


@pytest.mark.parametrize(
    ("how", "code", "said"),
    [
        ("user", 2, "lsp-evalplus: the budget is wrong.\n"),
        (
            "worker",
            2,
            "lsp-evalplus: guests cannot be started. `lsp-evalplus doctor` says what works here.\n",
        ),
        ("interrupt", 130, ""),
        ("abort", 130, ""),
        ("0", 0, ""),
        ("1", 1, ""),
    ],
)
def test_failures(
    how: str, code: int, said: str, table: dict[str, tuple[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_group(table, ["fail", how]) == code
    assert capsys.readouterr().err.lstrip("\n") == said


def test_a_bug_becomes_a_sentence_and_a_log(
    table: dict[str, tuple[str, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_group(table, ["fail", "bug"]) == 70
    said = capsys.readouterr().err
    assert said.startswith(
        "lsp-evalplus: this is a bug of lsp-evalplus (ZeroDivisionError: secret details); details are in "
    )
    assert said.count("\n") == 1
    (log,) = (tmp_path / "logs").iterdir()
    assert str(log) in said
    assert "Traceback" in log.read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be removed")
def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    code = "import os, sys; os.rmdir(os.getcwd()); from lsp_evalplus.cli import main; sys.exit(main(['check', 'a.py']))"
    gone = tmp_path / "gone"
    gone.mkdir()
    done = subprocess.run([sys.executable, "-c", code], cwd=gone, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("the current folder does not exist any more; change to one that does.\n")
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    functions = "".join(f"def f{number}(x):\n    return open(x)\n\n\n" for number in range(3000))
    (tmp_path / "many.py").write_text(functions, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, "-m", "lsp_evalplus", "check", "-v", "many.py"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
        process.wait(timeout=280)
    assert b"Traceback" not in said
    assert b"Exception" not in said
    assert process.returncode == 141


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX systems")
def test_an_interrupt_ends_at_once_and_quietly(tmp_path: Path) -> None:
    """The first pair is finished when its line is there; the second one would take two minutes."""
    reference = "def f(x: int) -> int:\n    return x\n"
    pairs = [
        json.dumps({"id": name, "entry_point": "f", "candidate": candidate, "reference": reference})
        for name, candidate in (("quick", "def f(x):\n    return x + 1\n"), ("slow", "def f(x):\n    return 0 + x\n"))
    ]
    (tmp_path / "pairs.jsonl").write_text("\n".join(pairs), encoding="utf-8")
    command = ["check", "--pairs", "pairs.jsonl", "--budget", "120", "--jobs", "2", "--format", "json"]
    # Where the tests run as a background job, interrupts are ignored, which children inherit.
    saved = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "lsp_evalplus", *command],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    finally:
        signal.signal(signal.SIGINT, saved)
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["id"] == "quick"
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
        process.wait(timeout=280)
    assert process.returncode == 130
    assert b"Traceback" not in said

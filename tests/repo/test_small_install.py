"""The distribution without extras, as the editor extension and the pre-commit hook install it, in an empty venv."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

OF_EXTRAS = ("numpy", "openai", "tree_sitter", "tree_sitter_python", "pooch", "mcp")
WRONG = '''def median(values: list[int]) -> float:
    """The median.

    >>> median([1, 2, 3, 4])
    2.5
    """
    return sorted(values)[len(values) // 2]
'''
RAW = json.dumps({"task_id": "Own/0", "solution": f"Here it is:\n```python\n{WRONG}```"}) + "\n"
PROBLEM = {
    "task_id": "Own/0",
    "prompt": "def median(values):\n",
    "entry_point": "median",
    "canonical_solution": "    return sorted(values)[len(values) // 2]\n",
    "base_input": [[[1, 2, 3]]],
    "plus_input": [],
    "contract": "",
    "atol": 0,
    "test": "",
}
COMMANDS = [
    pytest.param(["check", "wrong.py"], 1, "median([1, 2, 3, 4])", id="check"),
    pytest.param(["doctor"], 0, "the extra 'bench' has it", id="doctor"),
    pytest.param(["sanitize", "raw.jsonl", "--dataset", "own.jsonl"], 0, "1 changed", id="sanitize"),
    pytest.param(["bench", "--dataset", "own.jsonl"], 2, "pip install 'lsp-evalplus[bench] @ git+https", id="bench"),
    pytest.param(
        ["generate", "-d", "own.jsonl", "-m", "m", "--base-url", "http://localhost:1/v1"],
        2,
        "pip install 'lsp-evalplus[llm] @ git+https",
        id="generate",
    ),
    pytest.param(["mcp"], 2, "pip install 'lsp-evalplus[mcp] @ git+https", id="mcp"),
]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def small(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of an environment with the wheel and what it requires without any extra.

    The required distributions are copied from this environment, found through their metadata, so that the test needs no
    package index; pip then confirms that nothing is missing.
    """
    folder = tmp_path_factory.mktemp("small")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder / "dist"), str(repository)],
        check=True,
        capture_output=True,
    )
    (wheel,) = (folder / "dist").glob("*.whl")
    venv.create(folder / "venv", with_pip=False)
    interpreter = folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(interpreter)]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel)], check=True, capture_output=True)
    asked = "import sysconfig; print(sysconfig.get_path('purelib'))"
    found = subprocess.run([str(interpreter), "-c", asked], check=True, capture_output=True, text=True)
    for required in requirements(distribution("lsp-evalplus")):
        copy(required, Path(found.stdout.strip()))
    subprocess.run([*pip, "check"], check=True, capture_output=True)
    return interpreter


def requirements(root: Distribution) -> Iterator[Distribution]:
    """Yield what a distribution requires, directly or not, without extras of its own."""
    seen: set[tuple[str, frozenset[str]]] = set()
    pending = [(root, frozenset[str]())]
    while pending:
        holder, extras = pending.pop()
        for text in holder.requires or ():
            wanted = Requirement(text)
            key = (wanted.name, frozenset(wanted.extras))
            applies = wanted.marker is None or any(wanted.marker.evaluate({"extra": one}) for one in ("", *extras))
            if applies and key not in seen:
                seen.add(key)
                pending.append((distribution(wanted.name), key[1]))
                yield distribution(wanted.name)


def copy(installed: Distribution, target: Path) -> None:
    """Copy the files of a distribution, without its scripts, into another site-packages folder."""
    for file in installed.files or ():
        source = Path(str(file.locate()))
        if ".." not in file.parts and "__pycache__" not in file.parts and source.is_file():
            (target / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target / file)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a folder with a wrong function, a raw answer of a model and a problem."""
    (tmp_path / "wrong.py").write_text(WRONG)
    (tmp_path / "raw.jsonl").write_text(RAW)
    (tmp_path / "own.jsonl").write_text(json.dumps(PROBLEM) + "\n")
    return tmp_path


def start(small: Path, project: Path, arguments: list[str], sent: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run the installed command in a project, with no folder of the tree on its path."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment = {**kept, "XDG_CACHE_HOME": str(project / "cache"), "OPENAI_API_KEY": "none"}
    program = small.with_name("lsp-evalplus" + small.suffix)
    return subprocess.run(
        [str(program), *arguments], cwd=project, env=environment, input=sent, capture_output=True, check=False
    )


@pytest.mark.parametrize("name", OF_EXTRAS)
def test_packages_of_extras_are_not_installed(small: Path, name: str) -> None:
    asked = f"import importlib.util; print(importlib.util.find_spec({name!r}))"
    done = subprocess.run([str(small), "-I", "-c", asked], check=True, capture_output=True, text=True)

    assert done.stdout.strip() == "None"


@pytest.mark.parametrize(("arguments", "code", "sentence"), COMMANDS)
def test_command_works_or_names_its_extra(
    small: Path, project: Path, arguments: list[str], code: int, sentence: str
) -> None:
    done = start(small, project, arguments)

    said = (done.stdout + done.stderr).decode()
    assert done.returncode == code, said
    assert sentence in said
    assert "Traceback" not in said


def test_server_answers(small: Path, project: Path) -> None:
    asked = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None, "rootUri": None}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    bodies = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in asked]
    sent = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)

    done = start(small, project, ["serve"], sent)

    assert done.returncode == 0, done.stderr.decode()
    assert b'"capabilities"' in done.stdout

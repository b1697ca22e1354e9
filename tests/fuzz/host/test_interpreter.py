"""The user's interpreter is found where users have it; what is no usable one is told in one sentence."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import venv
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.host.interpreter import find_interpreter, probe_interpreter

posix = pytest.mark.skipif(sys.platform == "win32", reason="scripts as interpreters")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project folder with a virtual environment, without pip."""
    folder = tmp_path_factory.mktemp("project")
    venv.create(folder / ".venv", symlinks=sys.platform != "win32")
    (folder / "src" / "inner").mkdir(parents=True)
    return folder


def write_script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_the_environment_of_the_project_comes_first(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    found = find_interpreter(None, environment / "src" / "inner")

    assert Path(found.prefix).resolve() == (environment / ".venv").resolve()
    assert found.version == sys.version_info[:3]
    assert found.base_prefix == sys.base_prefix
    assert all(os.path.isabs(entry) for entry in found.search_path)


def test_settings_win(environment: Path, tmp_path: Path) -> None:
    folder = find_interpreter(str(environment / ".venv"), tmp_path)
    relative = find_interpreter(".venv", environment)

    assert folder.path == relative.path
    assert find_interpreter(sys.executable, environment).prefix == sys.prefix


def test_the_active_environment_then_path(environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", str(environment / ".venv"))
    assert Path(find_interpreter(None, tmp_path).prefix).resolve() == (environment / ".venv").resolve()

    monkeypatch.delenv("VIRTUAL_ENV")
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    assert find_interpreter(None, tmp_path).prefix == sys.prefix


@posix
def test_a_shim_is_seen_through(tmp_path: Path) -> None:
    shim = write_script(tmp_path / "python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')

    assert find_interpreter(str(shim), tmp_path).path == sys.executable


@posix
def test_noise_at_start_does_not_matter(tmp_path: Path) -> None:
    noisy = write_script(tmp_path / "python3", f'#!/bin/sh\necho welcome\nexec "{sys.executable}" "$@"\n')

    assert find_interpreter(str(noisy), tmp_path).prefix == sys.prefix


ANSWER = (
    '{"version": [3, 8, 1], "implementation": "cpython", "prefix": "/", "base_prefix": "/", "exec_prefix": "/", '
    '"path": "/", "executable": "/", "search_path": [], "mapped": []}'
)
BROKEN = [
    ("no-such-python", None, "there is no interpreter 'no-such-python'"),
    ("python", "#!/bin/sh\necho broken >&2\nexit 1\n", "does not start as a Python >= 3.9: broken"),
    ("python", "#!/bin/sh\nexit 3\n", "does not start as a Python >= 3.9: exit code 3"),
    ("python", "#!/bin/sh\necho \"$2$2: no such thing\" | tr '\\n' ' ' >&2; exit 1\n", "Python >= 3.9: no such thing"),
    ("python", "#!/bin/sh\necho nonsense\n", "does not work as a Python >= 3.9"),
    ("python", "#!/no/such/shell\n", "does not work as a Python >= 3.9"),
    ("python", f"#!/bin/sh\necho '{ANSWER}'\n", "is cpython 3.8.1; choose a CPython >= 3.9"),
    ("python", f"#!/bin/sh\necho '{ANSWER.replace('cpython', 'pypy')}'\n", "is pypy 3.8.1; choose"),
]


@posix
@pytest.mark.parametrize(("name", "script", "message"), BROKEN)
def test_unusable_interpreters(name: str, script: str | None, message: str, tmp_path: Path) -> None:
    if script is not None:
        write_script(tmp_path / name, script)
    setting = name if script is None else str(tmp_path / name)

    with pytest.raises(UserError) as caught:
        find_interpreter(setting, tmp_path)

    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@posix
@pytest.mark.parametrize(("name", "script", "message"), BROKEN[1:])
async def test_an_event_loop_is_told_the_same(name: str, script: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        await probe_interpreter(write_script(tmp_path / name, script))

    assert message in str(caught.value)
    assert await probe_interpreter(Path(sys.executable)) == find_interpreter(sys.executable, tmp_path)


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc")
async def test_a_question_that_was_given_up_leaves_no_process(tmp_path: Path) -> None:
    mark = tmp_path / "started"
    script = write_script(
        tmp_path / "python", f"#!/bin/sh\nsleep 100 &\necho $$ $! > {mark}.new; mv {mark}.new {mark}\nwait\n"
    )

    await give_up(script, mark)

    for number in mark.read_text().split():
        while is_running(int(number)):
            await asyncio.sleep(0.01)


@posix
def test_a_question_that_was_given_up_leaves_no_open_pipe(tmp_path: Path) -> None:
    mark = tmp_path / "started"
    script = write_script(tmp_path / "python", f"#!/bin/sh\necho > {mark}\nexec sleep 100\n")

    asyncio.run(give_up(script, mark))

    # A transport that is not closed when its loop ends warns here.
    gc.collect()


async def give_up(script: Path, mark: Path) -> None:
    """Ask an interpreter that marks its start and does not answer, and cancel that once it has begun."""
    probe = asyncio.create_task(probe_interpreter(script))
    while not mark.exists():
        await asyncio.sleep(0.01)
    probe.cancel()
    with pytest.raises(asyncio.CancelledError):
        await probe


def is_running(process: int) -> bool:
    """Whether a process exists that has not ended; nobody may have buried it yet."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_folder_without_an_interpreter(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    with pytest.raises(UserError, match="folder without an interpreter"):
        find_interpreter("empty", tmp_path)


def test_user_settings_of_python_do_not_reach_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONHOME", "/nowhere")
    copy = tmp_path / "python"
    if sys.platform != "win32":
        copy.symlink_to(sys.executable)

        assert str(tmp_path) not in find_interpreter(str(copy), tmp_path).search_path

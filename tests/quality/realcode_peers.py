"""CrossHair's ``diffbehavior`` and Hypothesis' ghostwriter (``--equivalent``) on the slips of realcode.py.

Both compare two functions that can be imported: the changed module is written beside the released one. What one
tells of a harmless change as well is not counted as found.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from cost import run
from package_code import Drawn
from realcode_tables import HARMLESS, Result

TOOLS: Final = ("CrossHair", "ghostwriter")
_PACKAGES: Final = ("crosshair-tool", "hypothesis[cli,ghostwriter]", "pytest")
_SECONDS: Final = "10"
"""What CrossHair may take for a function, of wall time: it knows no other."""
_NO_DEADLINE: Final = (
    "from hypothesis import settings\nsettings.register_profile('calm', deadline=None)\nsettings.load_profile('calm')\n"
)


def install(python: Path, folder: Path) -> None:
    """Install the peers into an environment of their own, which also sees the packages that `python` has."""
    peers = _python(folder)
    if peers.exists():
        return
    subprocess.run([sys.executable, "-m", "venv", folder / "peers"], check=True)
    subprocess.run([peers, "-m", "pip", "install", "-q", *_PACKAGES], check=True, stdout=sys.stderr)
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    theirs, own = (
        subprocess.run([one, "-c", where], capture_output=True, text=True, check=True).stdout.strip()
        for one in (python, peers)
    )
    (Path(own) / "measured.pth").write_text(theirs + "\n", encoding="utf-8")


def _python(folder: Path) -> Path:
    return folder / "peers" / "bin" / "python"


def judge(empty: Result, drawn: Drawn, sources: Mapping[str, str], folder: Path) -> Result:
    """What a peer says of a slip."""
    root, module = _import_name(drawn.path)
    changed = drawn.path.with_name(f"{drawn.path.stem.strip('_')}_changed.py")
    name = f"{module}.{drawn.name}"
    package = module if drawn.path.stem == "__init__" else module.rpartition(".")[0]
    other = f"{package}.{changed.stem}.{drawn.name}".lstrip(".")
    ask = _crosshair if empty.tool == "CrossHair" else _ghostwriter
    try:
        changed.write_text(sources[empty.change], encoding="utf-8")
        code, reason, seconds = ask(_python(folder), name, other, root)
        if code == 1:
            changed.write_text(sources[HARMLESS], encoding="utf-8")
            if ask(_python(folder), name, other, root)[0] != 0:
                code, reason = 2, "it tells the same of a harmless change"
    finally:
        changed.unlink()
    verdict = {0: "agrees", 1: "differs"}.get(code, "not_checked")
    return replace(empty, verdict=verdict, reason=reason[-200:], seconds=round(seconds, 2))


def _import_name(path: Path) -> tuple[Path, str]:
    root = path.parent
    while (root / "__init__.py").is_file():
        root = root.parent
    parts = path.relative_to(root).with_suffix("").parts
    return root, ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _crosshair(python: Path, name: str, other: str, root: Path) -> tuple[int, str, float]:
    command = [python, "-m", "crosshair", "diffbehavior", name, other, "--per_condition_timeout", _SECONDS]
    ended = run(command, cwd=root, env=_environment(root))
    return ended.code, ended.errors.strip() or ended.output.strip(), ended.seconds


def _ghostwriter(python: Path, name: str, other: str, root: Path) -> tuple[int, str, float]:
    command = [python.with_name("hypothesis"), "write", "--equivalent", name, other]
    written = run(command, cwd=root, env=_environment(root))
    if written.code != 0:
        return 2, written.errors.strip(), written.seconds
    test = root / "test_ghostwritten.py"
    try:
        test.write_text(_NO_DEADLINE + written.output, encoding="utf-8")
        command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(root), "-c", "/dev/null"]
        ended = run([*command, "--noconftest", str(test)], cwd=root, env=_environment(root))
    finally:
        test.unlink()
    return ended.code, ended.output.strip(), written.seconds + ended.seconds


def _environment(root: Path) -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}

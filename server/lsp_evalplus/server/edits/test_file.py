"""Find the file for the tests of a module. Reads the file system, writes nothing."""

from __future__ import annotations

import configparser
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, cast

_TEST_FOLDERS: Final = ("tests", "test")
_SKIPPED_FOLDERS: Final = {
    ".git",
    ".venv",
    "venv",
    "node_modules",
    "__pycache__",
    "site-packages",
    ".tox",
    "build",
    "dist",
}
_MAX_FOLDERS: Final = 2000


def test_file_for(module: Path, root: Path, import_root: Path) -> Path:
    """The file that gets a test of `module`.

    An existing ``test_<module>.py`` or ``<module>_test.py`` near the module or in a test folder wins. Otherwise it is a
    new file in the project's test folder, in the folder that mirrors the module's if there is one, provided that pytest
    can import the module from there; otherwise a new file beside the module.
    """
    names = (f"test_{module.stem}.py", f"{module.stem}_test.py")
    beside = [module.parent / name for name in names]
    folders = test_folders(root)
    if is_test(module):
        return module
    for candidate in beside:
        if candidate.is_file():
            return candidate
    existing = _existing(folders, names, module, import_root)
    if existing is not None:
        return existing
    for folder in folders:
        if _is_importable_from(folder, root, import_root):
            return _mirrored(folder, module, import_root) / _named_like_others(folder, names)
    return beside[0]


def is_test(path: Path) -> bool:
    """Whether pytest would collect the file itself."""
    return path.name.startswith("test_") or path.stem.endswith("_test")


def test_folders(root: Path) -> list[Path]:
    """The project's test folders: pytest's ``testpaths`` first, then the usual names."""
    configured = [root / path for path in _pytest_option(root, "testpaths")]
    found = [*configured, *(root / name for name in _TEST_FOLDERS)]
    return [folder for folder in dict.fromkeys(found) if folder.is_dir()]


def _existing(folders: Sequence[Path], names: Sequence[str], module: Path, import_root: Path) -> Path | None:
    mirror = [part.strip("_") for part in module.parent.relative_to(import_root).parts]
    found = [path for folder in folders for path in _walk(folder) if path.name in names]
    # Of several, the one whose folders have the most in common with the module's.
    return max(found, key=lambda path: len(set(mirror) & set(path.parent.parts)), default=None)


def _walk(folder: Path) -> Iterator[Path]:
    pending, seen = [folder], 0
    while pending and seen < _MAX_FOLDERS:
        here = pending.pop()
        seen += 1
        try:
            entries = sorted(here.iterdir())
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir() and not entry.is_symlink():
                if entry.name not in _SKIPPED_FOLDERS:
                    pending.append(entry)
            elif entry.suffix == ".py":
                yield entry


def _mirrored(folder: Path, module: Path, import_root: Path) -> Path:
    parts = module.parent.relative_to(import_root).parts
    for skipped in range(len(parts) + 1):
        mirror = folder.joinpath(*parts[skipped:])
        if mirror.is_dir():
            return mirror
    return folder


def _named_like_others(folder: Path, names: Sequence[str]) -> str:
    suffixed = sum(1 for path in _walk(folder) if path.stem.endswith("_test"))
    prefixed = sum(1 for path in _walk(folder) if path.name.startswith("test_"))
    return names[1] if suffixed > prefixed else names[0]


def _is_importable_from(folder: Path, root: Path, import_root: Path) -> bool:
    """Whether pytest, started in `root`, lets a test in `folder` import what lies in `import_root`."""
    if any((root / path).resolve() == import_root.resolve() for path in _pytest_option(root, "pythonpath")):
        return True
    if (import_root / "conftest.py").is_file():
        return True
    if (folder / "__init__.py").is_file() and folder.parent == import_root:
        return True  # pytest puts the first folder above without __init__.py on the path.
    return (root / "pyproject.toml").is_file() and _is_packaged(root)


def _is_packaged(root: Path) -> bool:
    """Whether there are build instructions: then the project is assumed to be installed in its own environment."""
    project = _toml(root / "pyproject.toml")
    return "build-system" in project and ("project" in project or "poetry" in project.get("tool", {}))


def _pytest_option(root: Path, name: str) -> list[str]:
    options = _toml(root / "pyproject.toml").get("tool", {}).get("pytest", {}).get("ini_options", {})
    value: Any = options.get(name) if isinstance(options, dict) else None  # type: ignore[union-attr]
    if value is None:
        value = _ini_option(root, name)
    if isinstance(value, str):
        return [part for part in re.split(r"\s+", value) if part]
    return [str(part) for part in cast("list[object]", value)] if isinstance(value, list) else []


def _ini_option(root: Path, name: str) -> str | None:
    for file, section in (("pytest.ini", "pytest"), ("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
        parser = configparser.ConfigParser(interpolation=None)
        try:
            parser.read(root / file, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError):
            continue
        if parser.has_option(section, name):
            return parser.get(section, name)
    return None


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}

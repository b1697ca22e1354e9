"""What the programs of BigCodeBench read with nltk: five packages, each file of them known by its SHA-256.

Some of these files are pickles, which execute code when they are loaded: only a file with the known digest is kept. The
digests are of the packages that the nltk project publishes (https://github.com/nltk/nltk_data).
"""

from __future__ import annotations

import hashlib
import importlib
import json
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.bench.files import write_file
from lsp_evalplus.fuzz.errors import UserError, require_extra

_URL = "https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/{}.zip"
_LARGEST = 64 << 20
"""Most bytes of one file; the largest has 6 MB."""


@cache
def data_files() -> Mapping[str, Mapping[str, str]]:
    """Package, as ``corpora/words`` -> the SHA-256 of each of its files, by name."""
    text = resources.files(__package__ or "").joinpath("nltk_data.json").read_text(encoding="utf-8")
    return cast("dict[str, dict[str, str]]", json.loads(text))


def missing_packages(folder: Path) -> list[str]:
    """The packages of which a folder lacks a file."""
    return [
        package
        for package, files in data_files().items()
        if not all((folder / package / name).is_file() for name in files)
    ]


def install_data(folder: Path, source: Path | None) -> None:
    """Put the packages that `folder` lacks into it: from a folder or archive (.zip, .tar.*), or from the nltk project.

    Raises:
        UserError: a file is missing there, is another one, or cannot be downloaded.
    """
    for package in missing_packages(folder):
        read = _downloaded(package) if source is None else _reader(source, package)
        for name, digest in data_files()[package].items():
            content = read(name)
            if content is None:
                raise UserError(f"{source or _URL.format(package)} has no {package}/{name}.")
            if hashlib.sha256(content).hexdigest() != digest:
                place = source or _URL.format(package)
                raise UserError(f"{package}/{name} in {place} is not the file that is known; it is not used.")
            path = folder / package / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, content)


def _reader(source: Path, package: str) -> Callable[[str], bytes | None]:
    """Read the files of a package in a folder or archive, below ``nltk_data`` or at the top."""
    if source.is_dir():
        places = [source / package, source / "nltk_data" / package]
        return lambda name: next(((one / name).read_bytes() for one in places if (one / name).is_file()), None)
    content = _contents(source, package)
    return lambda name: content.get(f"{package}/{name}")


def _contents(source: Path, package: str) -> dict[str, bytes]:
    """The files of a package in an archive, by their names from the package's on. Nothing is written."""
    found: dict[str, bytes] = {}
    try:
        if zipfile.is_zipfile(source):
            with zipfile.ZipFile(source) as archive:
                for entry in archive.infolist():
                    _, is_of, name = f"/{entry.filename}".partition(f"/{package}/")
                    if is_of and name and not entry.is_dir() and entry.file_size <= _LARGEST:
                        found[f"{package}/{name}"] = archive.read(entry)
            return found
        with tarfile.open(source) as archive:
            for member in archive:
                _, is_of, name = f"/{member.name}".partition(f"/{package}/")
                stream = archive.extractfile(member) if member.isfile() and member.size <= _LARGEST else None
                if is_of and name and stream is not None:
                    found[f"{package}/{name}"] = stream.read()
    except (OSError, tarfile.TarError, zipfile.BadZipFile, EOFError, ValueError) as error:
        raise UserError(f"{source} cannot be read as an archive: {error}") from error
    return found


def _downloaded(package: str) -> Callable[[str], bytes | None]:
    """Read the files of a package as the nltk project publishes it; what they are is checked file by file."""
    require_extra("pooch", "the download of nltk's data", "bench")
    pooch: Any = importlib.import_module("pooch")
    pooch.get_logger().setLevel("WARNING")
    url = _URL.format(package)
    _, _, name = package.rpartition("/")
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(pooch.retrieve(url, known_hash=None, fname=f"{name}.zip", path=folder))
            content = _contents(path, name)
    except (OSError, ValueError) as error:
        raise UserError(
            f"nltk's {package} could not be downloaded ({type(error).__name__}); fetch {url} elsewhere, unpack it into "
            f"a folder as {package}, and name that folder with --nltk-data."
        ) from error
    return lambda file: content.get(f"{name}/{file}")

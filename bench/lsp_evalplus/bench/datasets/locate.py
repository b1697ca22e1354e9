"""Location of the files of the known data sets: an override, a folder, the cache, or the upstream release.

Sources, in this order: ``HUMANEVAL_OVERRIDE_PATH``, ``MBPP_OVERRIDE_PATH`` or ``BIGCODEBENCH_OVERRIDE_PATH`` (a file,
as upstream), the folder in ``LSP_EVALPLUS_DATA``, our cache folder, the release on GitHub. Downloads must match the
checksums below.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import platformdirs

from lsp_evalplus.bench.problem import Family
from lsp_evalplus.fuzz.errors import UserError, require_extra


@dataclass(frozen=True, slots=True)
class Release:
    """One published file: name without ``.jsonl.gz``, version, location, and the SHA-256 of the ``.gz``."""

    stem: str
    version: str
    url: str
    sha256: str


_UPSTREAM = "https://github.com/evalplus/{repository}/releases/download/{version}/{stem}.jsonl.gz"
_VERSIONS = {Family.HUMANEVAL: "v0.1.10", Family.MBPP: "v0.2.0"}
_STEMS = {Family.HUMANEVAL: "HumanEvalPlus", Family.MBPP: "MbppPlus"}
_OVERRIDES = {Family.HUMANEVAL: "HUMANEVAL_OVERRIDE_PATH", Family.MBPP: "MBPP_OVERRIDE_PATH"}
_SHA256 = {
    "HumanEvalPlus": "272720b90ac375502c8ed23cd791c2a93dfb22a911641a494da74a426c09f101",
    "HumanEvalPlus-Mini": "91486741f1627101021fbe50523df08eebb5b0bf5e804b633dcd5ca3c14dbd2f",
    "HumanEvalPlus-NoExtreme": "298f79977b2663b8b8ab6b5fa50b17d6f23a92603d24f39e26203fe58c37eeda",
    "MbppPlus": "af43697e8791c4c149bdfd6b489d8b5412507551ac20e28a439f650b8225db63",
    "MbppPlus-NoExtreme": "72d32acaea73d5606cb97041b30d45bbda9435a675369d3e31965513ee94e564",
}


def release_of(family: Family, variant: str) -> Release:
    """The published file of `family` in `variant` (``""``, ``"mini"`` or ``"noextreme"``).

    Raises `UserError` for a variant that was never published.
    """
    suffix = {"": "", "mini": "-Mini", "noextreme": "-NoExtreme"}[variant]
    stem = _STEMS[family] + suffix
    if stem not in _SHA256:
        raise UserError(f"--{variant}: there is no such version of {family}; leave the flag out.")
    version = _VERSIONS[family]
    repository = _STEMS[family].lower() + "_release"
    url = _UPSTREAM.format(repository=repository, version=version, stem=stem)
    return Release(stem, version + suffix.lower(), url, _SHA256[stem])


_BIGCODEBENCH = Release(
    "BigCodeBench",
    "v0.1.0_hf",
    "https://github.com/bigcode-project/bigcodebench-annotation/releases/download/v0.1.0_hf/BigCodeBench.jsonl.gz",
    "",
)
"""Published packed; what is checked is the SHA-256 of its text (`bigcodebench`)."""


def locate_bigcodebench(environment: Mapping[str, str] = os.environ) -> tuple[Path, bool]:
    """The file of BigCodeBench, downloaded if it is not on this machine, and whether an override names it.

    Raises `UserError` as `locate` does.
    """
    override = environment.get("BIGCODEBENCH_OVERRIDE_PATH")
    if override:
        return _existing(Path(override), "BIGCODEBENCH_OVERRIDE_PATH"), True
    folder = environment.get("LSP_EVALPLUS_DATA")
    return (_in_folder(Path(folder), _BIGCODEBENCH) if folder else _download(_BIGCODEBENCH)), False


def cache_folder() -> Path:
    """Our folder below the user's cache directory; not created here."""
    return Path(platformdirs.user_cache_dir("lsp-evalplus", appauthor=False))


def locate(family: Family, variant: str, environment: Mapping[str, str] = os.environ) -> tuple[Path, str]:
    """The file of a known data set and its version, downloaded if it is not on this machine.

    Raises `UserError` when a configured location has no such file, or the download failed.
    """
    release = release_of(family, variant)
    override = environment.get(_OVERRIDES[family])
    if override:
        return _existing(Path(override), _OVERRIDES[family]), "override"
    folder = environment.get("LSP_EVALPLUS_DATA")
    if folder:
        return _in_folder(Path(folder), release), release.version
    return _download(release), release.version


def _existing(path: Path, variable: str) -> Path:
    if not path.is_file():
        raise UserError(f"{variable} names {path}, which is not a file; correct or unset it.")
    return path


def _in_folder(folder: Path, release: Release) -> Path:
    for suffix in (".jsonl", ".jsonl.gz"):
        path = folder / (release.stem + suffix)
        if path.is_file():
            return path
    raise UserError(
        f"LSP_EVALPLUS_DATA names {folder}, which has no {release.stem}.jsonl or .jsonl.gz; put the file from "
        f"{release.url} there, or unset the variable."
    )


def _download(release: Release) -> Path:
    """The file in our cache, downloaded if missing; a wrong checksum is an error and leaves no file behind."""
    # The import takes 0.2 s and is needed once per machine; the package has no type stubs.
    require_extra("pooch", f"the download of {release.stem}", "bench")
    pooch: Any = importlib.import_module("pooch")
    name = f"{release.stem}-{release.version}.jsonl.gz"
    folder = cache_folder() / "datasets"
    pooch.get_logger().setLevel("WARNING")
    known = f"sha256:{release.sha256}" if release.sha256 else None
    try:
        return Path(pooch.retrieve(release.url, known_hash=known, fname=name, path=folder))
    except (OSError, ValueError) as error:
        raise UserError(
            f"{release.stem} is not on this machine and could not be downloaded ({_reason(error, release.url)}); fetch "
            f"{release.url} elsewhere and put it into a folder that LSP_EVALPLUS_DATA names."
        ) from error


def _reason(error: Exception, url: str) -> str:
    """A concise reason for a failed download."""
    requests: Any = importlib.import_module("requests")
    if isinstance(error, requests.exceptions.ConnectionError):
        return f"no connection to {urlsplit(url).hostname}"
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:160]

"""Detection of designated references that match nothing, or may not be asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import OracleKind
from lsp_evalplus.fuzz.oracle.reference import read_source
from lsp_evalplus.fuzz.source.discover import read_module

from .items import Item, Request

_LISTED = 8


def describe_refusals(settings: Iterable[Settings]) -> list[str]:
    """Sentences about settings that the project's files want and may not decide, one for each project file."""
    return [sentence for sentence in dict.fromkeys(one.describe_not_followed() for one in settings) if sentence]


def find_refused(items: Iterable[Item]) -> list[str]:
    """A sentence for each designated reference that is not asked, because it lies outside of a project not trusted."""
    return [sentence for sentence in dict.fromkeys(item.refusal for item in items) if sentence]


def find_unmatched(request: Request, items: Collection[Item]) -> Iterator[str]:
    """A sentence if the file of ``--reference`` has no function of the name of one of `items`."""
    if request.reference is None or "::" in request.reference or not items:
        return
    if not any(oracle.kind is OracleKind.REFERENCE for item in items for oracle in item.oracles):
        names = list(read_module(read_source(Path(request.reference)), Path(request.reference)).definitions)
        known = ", ".join(names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")
        yield (
            f"--reference {request.reference} judges nothing: none of its functions ({known or 'it has none'}) has the "
            "name of a function to check; name both, as in `check path.py::f --reference ref.py::g`."
        )


def find_misspelt(items: Iterable[Item]) -> Iterator[str]:
    """A sentence for each key of ``references`` that is not a ``path::name``, or whose name is not in its file.

    Covers the projects of `items`; functions are looked up only in the files of `items`.
    """
    checked = dict[Path, Settings]()
    files = set[Path]()
    for path, settings in {item.path: item.settings for item in items if item.path is not None}.items():
        files.add(Path(path).resolve())
        if settings.root is not None:
            checked[settings.root] = settings
    for root, settings in checked.items():
        for key, _ in settings.references:
            problem = _problem_of(key, root, files)
            if problem:
                yield f"{root / 'pyproject.toml'}: the reference of {key!r} does not count: {problem}"


def _problem_of(key: str, root: Path, files: set[Path]) -> str:
    file, _, name = key.partition("::")
    if not file or not name:
        return 'write it as "path.py::name".'
    path = root / file
    if not path.exists():
        return f"{path} does not exist."
    if path.resolve() not in files:
        return ""
    try:
        read_module(read_source(path), Path(file)).target(name)
    except UserError as error:
        return str(error)
    return ""

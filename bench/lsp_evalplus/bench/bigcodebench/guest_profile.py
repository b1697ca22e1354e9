"""What programs of BigCodeBench find around them: a container, variables, data, and modules that are imported already.

Upstream executes each program in a container with many packages; a test there starts processes, listens on the loopback
and writes where it likes. Importing these packages takes longer than most tests, so it happens once for all programs.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from lsp_evalplus.bench.datasets.bigcodebench import Task
from lsp_evalplus.bench.environment.create import MATPLOTLIB, NLTK_DATA, environment_of
from lsp_evalplus.bench.running.guest_client import GuestProfile
from lsp_evalplus.fuzz.guest.boot import PACKAGE
from lsp_evalplus.fuzz.host.confinement import Confinement, Container
from lsp_evalplus.fuzz.host.interpreter import Interpreter

from .judge import MOST_BYTES

_CONTAINER = Container(processes=128, resident_bytes=MOST_BYTES, disk_bytes=512 << 20)
_OPEN_FILES = 1024
_MODULES: Mapping[str, tuple[str, ...]] = {
    "bs4": ("bs4",),
    "cv2": ("cv2",),
    "dateutil": ("dateutil.parser",),
    "django": ("django.conf", "django.http"),
    "faker": ("faker:Faker",),
    "flask": ("flask",),
    "matplotlib": ("matplotlib.pyplot",),
    "nltk": ("nltk",),
    "numpy": ("numpy", "numpy.random"),
    "pandas": ("pandas",),
    "PIL": ("PIL.Image",),
    "pytz": ("pytz",),
    "requests": ("requests",),
    "scipy": ("scipy.stats", "scipy.optimize"),
    "seaborn": ("seaborn",),
    "sklearn": (
        "sklearn.cluster",
        "sklearn.decomposition",
        "sklearn.ensemble",
        "sklearn.feature_extraction.text",
        "sklearn.linear_model",
        "sklearn.metrics",
        "sklearn.model_selection",
        "sklearn.preprocessing",
    ),
    "statsmodels": ("statsmodels.api",),
}
"""Library -> what is imported once, or after a colon called (`fuzz.guest.process.first_use`)."""
_FIRST_USES: Mapping[str, str] = {"matplotlib": f"{PACKAGE}.process.first_use:draw_figures"}
"""What is called once where many tasks use a library: it takes a second, and spares each program a twentieth of one."""
_FIRST_USE_LEAST = 40
_LEAST: Mapping[str, int] = {"matplotlib": 1, "django": 3, "statsmodels": 4}
"""Tasks for which importing a library once pays; matplotlib looks for its fonts anew wherever it cannot write."""
_USUAL_LEAST = 2
_STANDARD_LEAST = 10
"""Tasks for which a module of the standard library is imported once; each makes forks a little dearer."""
_SMALL = frozenset({"bs4", "dateutil", "faker", "pytz", "requests"})
_GROUPS = ((_SMALL, 20), (_SMALL | {"matplotlib", "numpy", "pandas", "PIL"}, 100))
"""Libraries of zygotes that have fewer, and from how many tasks on starting such a zygote pays; the smaller first."""
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([\w., \t]+))", re.MULTILINE)
_VARIABLES = {
    "TZ": "UTC",
    "MPLBACKEND": "Agg",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_ENABLE_ONEDNN_OPTS": "0",
    # Of a guest that has no processes; a container has some.
    "JOBLIB_MULTIPROCESSING": "1",
}


def profile_for(interpreter: Interpreter, memory_bytes: int, tasks: Iterable[Task]) -> GuestProfile:
    """The guests for programs of some tasks in an interpreter, with an address space of `memory_bytes` a process."""
    environment = {
        **_VARIABLES,
        # Tests start `python`, which is that of the programs.
        "PATH": os.pathsep.join([os.path.dirname(interpreter.path), os.defpath]),
    }
    read: list[str] = []
    folder = environment_of(Path(interpreter.path))
    if folder is not None:
        data = {"MPLCONFIGDIR": str(folder / MATPLOTLIB), "NLTK_DATA": str(folder / NLTK_DATA)}
        environment.update(data)
        read += [path for path in data.values() if os.path.isdir(path)]
    confinement = Confinement(read=tuple(read), memory_bytes=memory_bytes, open_files=_OPEN_FILES, container=_CONTAINER)
    # Of the other kinds of jobs nothing is loaded, as each module makes forks dearer.
    return GuestProfile(confinement, modules_for(tasks), environment, jobs=("test_file",))


def modules_for(tasks: Iterable[Task]) -> tuple[str, ...]:
    """The modules to import once for the programs of some tasks, by the libraries that these need."""
    shared = _Shared.of([*tasks])
    return shared.modules(shared.libraries)


@dataclass(frozen=True, slots=True)
class _Shared:
    """What the programs of some tasks find imported."""

    libraries: Sequence[str]
    standard: Sequence[str]
    """Modules of the standard library."""
    used: frozenset[str]
    """Libraries whose first use has happened, too."""

    @classmethod
    def of(cls, tasks: Sequence[Task]) -> Self:
        """By how many tasks need it; a task names the libraries of its program, and its tests import others."""
        counts = Counter(name for task in tasks for name in {*task.libraries, *_imported_in(_text_of(task))})
        return cls(
            [name for name in _MODULES if counts[name] >= _LEAST.get(name, _USUAL_LEAST)],
            sorted(name for name in counts if counts[name] >= _STANDARD_LEAST and name in sys.stdlib_module_names),
            frozenset(name for name in _FIRST_USES if counts[name] >= _FIRST_USE_LEAST),
        )

    def modules(self, libraries: Sequence[str]) -> tuple[str, ...]:
        """What is imported or called where there are only some of the libraries."""
        imported = [module for name in libraries for module in _MODULES[name]]
        called = [_FIRST_USES[name] for name in libraries if name in self.used]
        return ("unittest.mock", "tempfile", *self.standard, *imported, *called)


class ModuleGroups:
    """Zygotes with fewer modules, for the programs among those of some tasks that need no more.

    A fork copies, and its end undoes, an entry for each part of each library that is loaded. With all of them, this
    takes longer than most tests.
    """

    def __init__(self, tasks: Iterable[Task]) -> None:
        tasks = list(tasks)
        self._shared = _Shared.of(tasks)
        self._groups: list[list[str]] = []
        sources = [_text_of(task) for task in tasks]
        for libraries, least in _GROUPS:
            group = [name for name in self._shared.libraries if name in libraries]
            has_all = len(group) == len(self._shared.libraries)
            others = [text for text in sources if has_all or not self._fits(text, group)]
            if len(sources) - len(others) >= least:
                self._groups.append(group)
                sources = others

    def modules_of(self, text: str) -> tuple[str, ...] | None:
        """The modules of the smallest group that has what a program and its tests name; None if only all will do."""
        return next((self._shared.modules(group) for group in self._groups if self._fits(text, group)), None)

    def _fits(self, text: str, group: Sequence[str]) -> bool:
        """Whether source code names no library that is left out, and none that may import one of these itself."""
        others = [name for name in self._shared.libraries if name not in group]
        known = {*group, *sys.stdlib_module_names}
        return not re.search(rf"\b({'|'.join(others)})\b", text) and known.issuperset(_imported_in(text))


def _imported_in(text: str) -> Iterator[str]:
    """The first parts of the names after each ``import`` and ``from``, those of prose among them."""
    for one, several in _IMPORT.findall(text):
        for name in (one or several).split(","):
            yield name.strip().partition(" ")[0].partition(".")[0]


def _text_of(task: Task) -> str:
    return f"{task.reference}\n{task.test}"

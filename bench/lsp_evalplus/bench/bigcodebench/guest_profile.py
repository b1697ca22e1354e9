"""What programs of BigCodeBench find around them: a container, variables, data, and modules that are imported already.

Upstream executes each program in a container with many packages; a test there starts processes, listens on the loopback
and writes where it likes. Importing these packages takes longer than most tests, so it happens once for all programs.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from lsp_evalplus.bench.datasets.bigcodebench import Task
from lsp_evalplus.bench.environment.create import MATPLOTLIB, NLTK_DATA, environment_of
from lsp_evalplus.bench.running.guest_client import GuestProfile
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
"""Library -> what is imported once."""
_LEAST: Mapping[str, int] = {"matplotlib": 1, "django": 3, "statsmodels": 4}
"""Tasks for which importing a library once pays; matplotlib looks for its fonts anew wherever it cannot write."""
_USUAL_LEAST = 2
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
    counts = Counter(library for task in tasks for library in task.libraries)
    chosen = [name for name in _MODULES if counts[name] >= _LEAST.get(name, _USUAL_LEAST)]
    return ("unittest.mock", "tempfile", *(module for name in chosen for module in _MODULES[name]))

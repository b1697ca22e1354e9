"""NumPy, pandas and scikit-learn from an environment that is not ours, under the full sandbox."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.boot import PACKAGE
from lsp_evalplus.fuzz.guest.values.plain import decode
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import Interpreter, find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import EndingKind, Job, collect

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PACKAGES = ("numpy", "pandas", "scikit-learn", "matplotlib")
PROGRAMS: list[tuple[str, str, Any]] = [
    ("numpy", "import numpy as np\ndef f(): return float(np.linalg.norm(np.array([3.0, 4.0])))", 5.0),
    (
        "numpy FFT and random",
        "import numpy as np\ndef f(): return len(np.fft.rfft(np.random.default_rng(0).random(64)))",
        33,
    ),
    (
        "pandas",
        (
            "import pandas as pd\ndef f():\n"
            "    frame = pd.DataFrame({'k': ['a', 'b', 'a'], 'v': [1, 2, 3]})\n"
            "    frame.to_csv('x.csv', index=False)\n"
            "    return pd.read_csv('x.csv').groupby('k').v.sum().to_dict()"
        ),
        {"a": 4, "b": 2},
    ),
    (
        "pandas dates",
        "import pandas as pd\ndef f(): return str(pd.Timestamp('2024-03-01', tz='Europe/Vienna').utcoffset())",
        "1:00:00",
    ),
    (
        "scikit-learn",
        (
            "from sklearn.linear_model import LinearRegression\ndef f():\n"
            "    return round(float(LinearRegression().fit([[0], [1], [2]], [1, 3, 5]).predict([[10]])[0]), 6)"
        ),
        21.0,
    ),
    (
        "scikit-learn in parallel",
        (
            "from sklearn.ensemble import RandomForestClassifier\ndef f():\n"
            "    model = RandomForestClassifier(5, random_state=0, n_jobs=2).fit([[0], [1]] * 10, [0, 1] * 10)\n"
            "    return model.predict([[0], [1]]).tolist()"
        ),
        [0, 1],
    ),
]


@pytest.fixture(scope="module")
def scientific(tmp_path_factory: pytest.TempPathFactory) -> Interpreter:
    """Return an environment with the packages: the one that is named, or a new one."""
    named = os.environ.get("LSP_EVALPLUS_SCIENTIFIC_PYTHON")
    if named:
        return find_interpreter(named, Path())
    folder = tmp_path_factory.mktemp("scientific")
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    done = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", *PACKAGES], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"the packages cannot be installed here: {done.stderr.strip()[-300:]}")
    return find_interpreter(str(python), Path())


@pytest.mark.parametrize("preload", [(), ("numpy", "pandas", "sklearn")], ids=["cold", "preloaded"])
def test_functions_that_use_them_work(scientific: Interpreter, preload: tuple[str, ...]) -> None:
    async def run_all() -> dict[str, Any]:
        async with GuestPool(scientific, Confinement(), size=2, preload=preload) as pool:
            return {name: await run_one(pool, source) for name, source, _ in PROGRAMS}

    assert asyncio.run(run_all()) == {name: value for name, _, value in PROGRAMS}


FIGURES = """
import io
from matplotlib import font_manager, pyplot
def f():
    numbers = pyplot.get_fignums()
    open_fonts = font_manager._get_font.cache_info().currsize
    pyplot.plot([1, 2], label='$x^2$')
    pyplot.legend()
    pyplot.savefig(file := io.BytesIO())
    return [numbers, open_fonts, pyplot.gcf().number, file.getvalue()[1:4]]
"""


def test_figures_that_a_zygote_has_drawn_leave_nothing_but_what_is_found_faster(scientific: Interpreter) -> None:
    async def run() -> list[Any]:
        preload = ("matplotlib.pyplot", f"{PACKAGE}.process.first_use:draw_figures")
        environment = {"MPLBACKEND": "Agg"}
        async with GuestPool(scientific, Confinement(), size=1, preload=preload, environment=environment) as pool:
            return [await run_one(pool, source) for source in (FIGURES, "import sys\ndef f(): return " + DRAWN)]

    assert asyncio.run(run()) == [[[], 0, 1, b"PNG"], [True, True]]


DRAWN = "[name in sys.modules for name in ('matplotlib.backends.backend_agg', 'matplotlib.colorbar')]"


async def run_one(pool: GuestPool, source: str) -> Any:
    request = {
        "program": {"source": source, "qualname": "f"},
        "arguments": ["()"],
        "per_call_seconds": 60,
        "load_seconds": 60,
    }
    run = pool.start(Job("evaluate", request, wall_seconds=120))
    replies = await collect(run)
    assert run.ending.kind is EndingKind.FINISHED, run.ending
    assert replies[0].get("outcome", {}).get("kind") == "returned", (replies, run.ending.stderr)
    return decode(replies[0]["outcome"]["value"])

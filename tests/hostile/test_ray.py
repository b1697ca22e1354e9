"""Every hostile program in workers of Ray: the verdict it deserves, no harm, and nothing of Ray within reach."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.judging.verdicts import Rule
from lsp_evalplus.bench.problem import Part
from lsp_evalplus.bench.remote.driver import RemoteJudge
from lsp_evalplus.bench.running.evaluate import EvaluationResult
from lsp_evalplus.bench.running.run import TimeRules

from .samples import TASK, wrongly_judged

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(sys.platform != "linux", reason="the full sandbox is Linux's"),
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed"),
]

ATTACKS = {
    "connect to the head": "import socket\nsocket.create_connection(('HOST', HEAD), 1)",
    "connect to the node's socket": "import socket\nsocket.socket(socket.AF_UNIX).connect('SESSION/sockets/raylet')",
    "connect to the store": "import socket\nsocket.socket(socket.AF_UNIX).connect('SESSION/sockets/plasma_store')",
    "read the session": "open('SESSION/node_ip_address.json').read()",
    "list the session's logs": "import os\nassert os.listdir('SESSION/logs')",
    "read the token": "import os\nopen(os.path.join('HOME', '.ray', 'auth_token')).read()",
    "read the worker's environment": "import os\nopen(f'/proc/{os.getppid()}/environ', 'rb').read(1)",
    "read the node's environment": "open('/proc/NODE/environ', 'rb').read(1)",
    "kill the node": "import os\nos.kill(NODE, 0)",
    "list shared memory": "import os\nassert os.listdir('/dev/shm')",
    "find Ray in its own environment": "import os\nassert any('RAY' in name for name in os.environ)",
}
"""What must fail: only a program whose attack succeeds gives right answers."""


@dataclass(frozen=True)
class Judged:
    """What came of the suite, and of the attacks on Ray."""

    outcome: EvaluationResult
    sources: list[str]
    attacks: dict[str, str]
    """Programs by the name of the attack."""


def program(attack: str, names: dict[str, str]) -> str:
    for word, value in names.items():
        attack = attack.replace(word, value)
    body = "".join(f"    {line}\n" for line in attack.splitlines())
    return f"def add(x, y):\n{body}    return x + y\n"


@pytest.fixture(scope="module")
def judged(
    evaluated: Callable[..., EvaluationResult],
    behaviours: list[Any],
    prey: Any,
    private_temporary: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Judged]:
    from lsp_evalplus.bench.remote.ray_executor import connect

    folder = tmp_path_factory.mktemp("bench")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        patch.delenv("RAY_ADDRESS", raising=False)
        executor = connect()
        ray: Any = importlib.import_module("ray")
        node: Any = importlib.import_module("ray._private.worker")._global_node
        head, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
        raylets = [one.process.pid for one in node.all_processes["raylet"]]
        session = node.get_session_dir_path()
        names = {"HOST": head, "HEAD": port, "SESSION": session, "HOME": str(Path.home()), "NODE": str(raylets[0])}
        assert (Path(session) / "sockets" / "raylet").exists()
        attacks = {name: program(attack, names) for name, attack in ATTACKS.items()}
        sources = [prey.fill(one.source) for one in behaviours]
        outcome = evaluated(
            folder,
            [TASK],
            [("Hostile/0", source) for source in [*sources, *attacks.values()]],
            times=TimeRules(min_time_limit=0.5, task_time_limit=4.0),
            engine=RemoteJudge(lambda: executor),
        )
        yield Judged(outcome, sources, attacks)


@pytest.mark.parametrize("rule", list(Rule))
def test_verdicts(judged: Judged, behaviours: list[Any], rule: Rule) -> None:
    assert not wrongly_judged(judged.outcome, behaviours, rule)


def test_nothing_of_ray_is_within_reach(judged: Judged) -> None:
    digests = {sample.solution: sample.digest for sample in judged.outcome.samples.samples}
    reached = [
        name
        for name, source in judged.attacks.items()
        if judged.outcome.verdicts["Hostile/0", digests[source]].passes(Part.BASE, Rule.STRICT)
    ]
    assert not reached


def test_no_harm(judged: Judged, prey: Any) -> None:
    assert judged.outcome.verdicts
    assert prey.harm == {}

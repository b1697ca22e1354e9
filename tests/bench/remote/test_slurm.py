"""The documented recipe for Slurm, on a real one: one node, whose daemons start for the tests and end with them."""

from __future__ import annotations

import getpass
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "sinfo")
SECONDS = 250.0
"""For what takes a few on a quiet machine."""
SHARDS = 3
CONFIGURATION = """
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
MpiDefault=none
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=4000
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""
TASKS = 2 * SHARDS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not all(map(shutil.which, PROGRAMS)), reason="Slurm (slurm-wlm, munge) is not installed"),
]


def wait_until(is_true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_true():
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(0.1)


def free_ports() -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(2)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Cluster:
    """A Slurm of one node."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = environment

    def run(self, *command: str, folder: Path | None = None) -> str:
        done = subprocess.run(
            command, cwd=folder, env=self.environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def states(self) -> dict[str, str]:
        """The states of the jobs that have not ended, by their names such as 12_3."""
        lines = self.run("squeue", "-h", "-r", "-o", "%i %T").splitlines()
        return dict(line.split() for line in lines if line.strip())


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="slurm", ignore_cleanup_errors=True)))
        folder.chmod(0o755)
        environment = {
            **os.environ,
            "SLURM_CONF": str(folder / "slurm.conf"),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        }
        (folder / "state").mkdir()
        (folder / "munge.key").write_bytes(secrets.token_bytes(128))
        (folder / "munge.key").chmod(0o600)
        values = {"host": socket.gethostname(), "ports": free_ports(), "user": getpass.getuser(), "folder": folder}
        (folder / "slurm.conf").write_text(CONFIGURATION.format(**values))
        munge = ["munged", "--foreground", "--force", "--num-threads=1", f"--key-file={folder}/munge.key"]
        munge += [f"--{one}-file={folder}/munge.{one}" for one in ("pid", "log", "seed")]

        def start(*command: str) -> None:
            output = stack.enter_context((folder / "output.txt").open("ab"))
            process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
            stack.callback(process.wait)
            stack.callback(process.terminate)

        start(*munge, f"--socket={folder}/munge.socket")
        wait_until((folder / "munge.socket").exists, "munge listens")
        start("slurmctld", "-D")
        start("slurmd", "-D", "-N", socket.gethostname())
        found = Cluster(environment)

        def is_idle() -> bool:
            told = subprocess.run(["sinfo", "-h", "-o", "%t"], env=environment, capture_output=True, check=False)
            return told.stdout.strip() == b"idle"

        try:
            wait_until(is_idle, "the node is idle")
        except AssertionError:
            pytest.skip(f"Slurm does not start here: {(folder / 'output.txt').read_text()[-1000:]}")
        yield found
        found.run("scancel", "--user", getpass.getuser())
        wait_until(lambda: not found.states(), "no job is left")


@pytest.fixture
def folder(tmp_path: Path, make_tasks: Callable[[Iterable[int]], list[dict[str, Any]]]) -> Path:
    tasks = make_tasks(range(TASKS))
    (tmp_path / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    with (tmp_path / "X.jsonl").open("w") as file:
        for number, task in enumerate(tasks):
            for change in range(20):
                body = f"    y = {change}\n    return x * {number} + (x == {change % 4})\n"
                file.write(json.dumps({"task_id": task["task_id"], "solution": "def f(x):\n" + body}) + "\n")
    return tmp_path


def recipe() -> str:
    """The command of the documentation, for a small cluster and these files."""
    text = (ROOT / "docs" / "bench-machines.md").read_text()
    found = re.search(r"\*\*Slurm\*\*\n+```sh\n(sbatch .*?)```", text, re.DOTALL)
    assert found is not None
    changes = {
        "--array=0-7": f"--array=0-{SHARDS - 1}",
        "--cpus-per-task=8": "--cpus-per-task=1",
        "--jobs 8": "--jobs 1",
        "-d humaneval": "-d tasks.jsonl",
        "runs/X.jsonl": "X.jsonl",
        "/shared/verdicts": "verdicts",
    }
    command = found[1]
    for before, after in changes.items():
        assert command.count(before) == 1, f"{before} is not in the recipe"
        command = command.replace(before, after)
    return command.replace("sbatch ", "sbatch --parsable ", 1)


def rows(folder: Path) -> int:
    paths = (folder / "verdicts").glob("*/*.jsonl")
    return sum(line.startswith(b'["') for path in paths for line in path.read_bytes().splitlines())


def test_two_arrays_on_one_store_of_which_a_job_is_requeued(cluster: Cluster, folder: Path) -> None:
    local = ["lsp-evalplus", "bench", "-d", "tasks.jsonl", "-s", "X.jsonl", "--jobs", "1"]
    cluster.run(*local, "--no-store", "-o", "local.json", folder=folder)
    first, _ = (cluster.run("sh", "-c", recipe(), folder=folder).strip() for _ in range(2))
    wait_until(lambda: rows(folder) > 0, "a program is judged")
    cluster.run("scontrol", "requeue", f"{first}_0")
    # It would wait for two minutes.
    wait_until(lambda: cluster.states().get(f"{first}_0", "PENDING") == "PENDING", "the job waits again")
    subprocess.run(["scontrol", "update", f"JobId={first}_0", "StartTime=now"], env=cluster.environment, check=False)
    wait_until(lambda: not cluster.states(), "all jobs have ended")

    said = "".join(path.read_text() for path in folder.glob("slurm-*.out"))
    parts = sorted(str(path) for path in folder.glob("X_eval_results.shard-*-of-3.json"))
    assert len(parts) == SHARDS, said
    cluster.run("lsp-evalplus", "bench", "merge", *parts, "-o", "merged.json", folder=folder)
    assert (folder / "merged.json").read_bytes() == (folder / "local.json").read_bytes()
    total = TASKS * 20
    found = cluster.run("sh", "-c", f"{' '.join(local)} --store verdicts 2>&1", folder=folder)
    assert f"Judged before: {total} of {total} programs" in found
    assert (folder / "X_eval_results.json").read_bytes() == (folder / "local.json").read_bytes()

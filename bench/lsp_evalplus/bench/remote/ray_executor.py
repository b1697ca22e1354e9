"""Ray as an executor; imported only for ``--on ray``."""

from __future__ import annotations

import importlib
import logging
import os
import socket
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

from lsp_evalplus.fuzz.errors import UserError, require_extra

T = TypeVar("T")


def connect() -> Executor:
    """Connect to the cluster of ``RAY_ADDRESS``, or start Ray on this machine.

    A cluster on other machines must ask for a token (``RAY_AUTH_MODE=token``): whoever reaches an open one can run
    anything on it. Raises `UserError` otherwise, and where Ray is not installed or does not answer.
    """
    require_extra("ray", "bench --on ray", "ray")
    ray: Any = importlib.import_module("ray")

    # Without an address, Ray would look for the last cluster of this machine, and wait for one that is gone.
    address = os.environ.get("RAY_ADDRESS") or "local"
    is_remote = address not in {"auto", "local"} and not address.startswith("127.0.0.1")
    if is_remote and os.environ.get("RAY_AUTH_MODE") != "token":
        raise UserError(
            f"RAY_ADDRESS is {address}; set RAY_AUTH_MODE=token, here and on the cluster: without one, it is open."
        )
    if not ray.is_initialized():
        try:
            ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False, include_dashboard=False)
        except Exception as error:  # noqa: BLE001 - Ray raises what its parts do.
            raise UserError(f"Ray does not answer ({type(error).__name__}: {str(error)[:300]}).") from None
    return RayExecutor(ray)


class RayExecutor(Executor):
    """Calls as Ray tasks of one core each, which Ray tries again where a worker is lost."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._remote: dict[Callable[..., Any], Any] = {}
        # No public function says where it listens.
        self._node: str = importlib.import_module("ray._private.worker")._global_node.raylet_socket_name

    @property
    def places(self) -> int:
        """The cores of the cluster."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Schedule a call on the cluster."""
        if fn not in self._remote:
            self._remote[fn] = self._ray.remote(num_cpus=1, max_retries=3)(fn)
        found: Future[T] = self._remote[fn].remote(*args, **kwargs).future()
        return found

    def is_lost(self) -> bool:
        """Whether the part of Ray on this machine that this process speaks with has ended, as with its head.

        Ray itself waits for good then, and ends the process when a head that was started anew is asked for anything.
        """
        if not hasattr(socket, "AF_UNIX"):
            return False
        with socket.socket(socket.AF_UNIX) as asking:
            try:
                asking.connect(self._node)
            except OSError:
                return True
        return False

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - as declared.
        """Disconnect; Ray that was started for this command ends."""
        self._ray.shutdown()

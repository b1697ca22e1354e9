"""The job that draws objects from the Hypothesis strategies that a project registers for its classes.

Hypothesis is the user's own, of their environment; the guest has none. What the project's modules register goes through
Hypothesis's public functions only.

The request::

    project     {"search_path": [...]}: the import roots
    modules     [[name, path], ...]: modules that register strategies, imported in this order; the path is empty where
                only the name is known
    classes     full dotted names of the classes to draw objects of
    root        the project's folder: how objects of the classes of its modules are made is noted

Replies: ``{"class", "texts", "modules", "problem"}`` for each class for which a strategy is registered: expressions
that make the objects drawn, with full dotted names, the shortest first; the modules of these names; and why there are
none.
``{"problem"}`` alone says why none can be asked.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
from typing import TYPE_CHECKING, Any, Callable

from ..inference.objects.constructions import Constructions, find, module_of
from ..program.module_overlay import is_installed, search_first
from ..values.dynamic import type_of
from ..values.recipes.model import RecipeError
from ..values.rendering import message_of
from .muted import muted

if TYPE_CHECKING:
    from ..protocol.channel import Channel

MOST_DRAWN = 200
"""Maximum number of objects of one class that are drawn."""
MOST_TEXTS = 40
"""Maximum number of different ones that are kept."""
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")


def run(request: dict[str, Any], channel: Channel) -> None:
    """Run the job; see the module's docstring."""
    search_first(request["project"]["search_path"])
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", os.getcwd())
    with muted():
        try:
            hypothesis = importlib.import_module("hypothesis")
            strategies = importlib.import_module("hypothesis.strategies")
        except ImportError as error:
            channel.send({"problem": f"Hypothesis cannot be imported ({error})"})
            return
        _hide_own_modules()
        drawer = _Drawer(hypothesis, strategies, request["root"])
        for name in request["classes"]:
            _import_for(name)
        for name, path in request["modules"]:
            problem = drawer.register(name, path)
            if problem:
                channel.send({"problem": problem})
            channel.heartbeat()
        for name in request["classes"]:
            kind = find(name)
            if isinstance(kind, type) and kind in drawer.registered:
                channel.send({"class": name, **drawer.draw(kind)})


def _hide_own_modules() -> None:
    """Let Hypothesis draw no constants of the guest's modules: where these are not installed, it parses them all, which
    takes longer than all else."""
    own = __name__.rpartition(".jobs.")[0]
    for name, module in list(sys.modules.items()):
        if name == own or name.startswith(own + "."):
            module.__file__ = None


class _Drawer:
    """Knows the classes for which strategies are registered while it imports modules, and draws from these."""

    def __init__(self, hypothesis: Any, strategies: Any, root: str) -> None:
        self._hypothesis = hypothesis
        self._strategies = strategies
        self._root = os.path.join(os.path.realpath(root), "")
        self._constructions = Constructions()
        self.registered: set[Any] = set()
        register = strategies.register_type_strategy

        def noted(custom_type: Any, strategy: Any) -> None:
            register(custom_type, strategy)
            self.registered.add(custom_type)

        strategies.register_type_strategy = noted

    def register(self, name: str, path: str) -> str:
        """Import a module, so that it registers its strategies; return why that fails, else nothing."""
        self._watch()
        try:
            _import(name, path)
        except BaseException as error:  # noqa: BLE001 - user code
            return f"{name} cannot be imported ({type_of(error).__name__}: {message_of(error)})"
        self._watch()
        return ""

    def _watch(self) -> None:
        """Watch the classes of the project's loaded modules."""
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None)
            if not isinstance(path, str) or not os.path.realpath(path).startswith(self._root) or is_installed(path):
                continue
            for kind in list(vars(module).values()):
                if isinstance(kind, type) and kind.__module__ == module.__name__:
                    self._constructions.watch(kind)

    def draw(self, kind: type) -> dict[str, Any]:
        """Return expressions of objects of a class for which a strategy is registered, as the reply has them."""
        texts: dict[str, None] = {}
        unwritten: dict[str, None] = {}
        before = len(self._constructions)

        def note(value: Any) -> None:
            try:
                if len(texts) < MOST_DRAWN:
                    texts[self._constructions.text_of(value)] = None
            except RecipeError as error:
                unwritten[str(error)] = None
            self._constructions.forget_since(before)

        problem = ""
        try:
            self._test_of(kind, note)()
        except BaseException as error:  # noqa: BLE001 - user code
            problem = f"it raises {type_of(error).__name__}: {message_of(error)}"
        kept = _spread(sorted(texts, key=lambda text: (len(text), text)))
        if not kept and not problem:
            problem = "what it makes cannot be written as an expression ({})".format(next(iter(unwritten), "nothing"))
        names = {module_of(name) for text in kept for name in _NAME.findall(text)}
        return {"texts": kept, "modules": sorted(name for name in names if name), "problem": problem}

    def _test_of(self, kind: type, note: Callable[[Any], None]) -> Callable[[], None]:
        """Return a test of Hypothesis that hands objects of a class to a function."""
        hypothesis = self._hypothesis
        settings = hypothesis.settings(
            max_examples=MOST_DRAWN,
            database=None,
            deadline=None,
            phases=[hypothesis.Phase.generate],
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        test: Callable[[], None] = settings(hypothesis.given(self._strategies.from_type(kind))(note))
        return hypothesis.seed(0)(test)  # type: ignore[no-any-return]


def _import_for(name: str) -> None:
    """Import the module of a class: its longest prefix that is one."""
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        try:
            importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        except BaseException:  # noqa: BLE001 - user code; a class that cannot be imported is not drawn.
            return
        return


def _import(name: str, path: str) -> None:
    """Import a module; the one in that file, where another one has its name."""
    module = importlib.import_module(name)
    found = getattr(module, "__file__", None)
    if not path or (isinstance(found, str) and os.path.realpath(found) == os.path.realpath(path)):
        return
    spec = importlib.util.spec_from_file_location(f"{name}_{len(sys.modules)}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"there is no module in {path}")
    other = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = other
    spec.loader.exec_module(other)


def _spread(texts: list[str]) -> list[str]:
    """Return the shortest of sorted texts, and others of all lengths."""
    half = MOST_TEXTS // 2
    rest = texts[half:]
    if len(rest) <= half:
        return texts
    return texts[:half] + [rest[number * len(rest) // half] for number in range(half)]

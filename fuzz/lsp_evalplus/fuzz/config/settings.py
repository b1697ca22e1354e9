"""All settings as one frozen value: defaults < ``[tool.lsp-evalplus]`` in pyproject.toml < editor < command line.

`docs/settings.md` is generated from the fields below, which a test checks. Keys are kebab-case in pyproject.toml and
camelCase in editors; both are accepted everywhere.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import OracleKind

from .trust import HOW_TO_TRUST, is_within_project, open_trusted_projects
from .validators import Choice, Construction, Flag, Kind, ListOf, ModuleName, Number, Pattern, TableOf, Text

_TABLE = "lsp-evalplus"
ANY = "any"
ORDERS = ("same", ANY)
EXCEPTIONS = ("same", ANY)
LARGEST_TOLERANCE = 1.0
SEVERITIES = ("error", "warning", "information", "hint", "off")
"""Severities of a finding, highest first."""


PERMISSIONS = ("python", "read", "network")
"""Settings that widen what checked code may do, or name a program to start: a project's file needs the user's trust."""
RUN, READ = "run", "read"
"""What is done with the tests of a project."""
PLACES = ("database", "baseline")
"""Settings that name what is read and written: a project's file needs the user's trust for places outside of it."""


def _setting(default: Any, kind: Kind, about: str, *, adds_up: bool = False) -> Any:
    """Declare a setting; `adds_up`: a list that is the union over all layers instead of being overridden."""
    return field(default=default, metadata={"kind": kind, "about": about, "adds_up": adds_up})


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """The language model that may propose inputs, an oracle or a fix. Nothing is sent unless `enabled` is true."""

    enabled: bool = _setting(False, Flag(), "whether a language model may be asked")  # noqa: FBT003
    seeds: bool = _setting(True, Flag(), "ask it for inputs; sends the function's text to `base-url`")  # noqa: FBT003
    base_url: str = _setting("", Text("the URL of an OpenAI-compatible endpoint"), "the endpoint; empty: OpenAI's own")
    model: str = _setting("", Text("the name of a model"), "the model to ask")
    api_key_env: str = _setting(
        "OPENAI_API_KEY", Text("the name of an environment variable"), "the environment variable that holds the key"
    )
    timeout: float = _setting(20.0, Number(1, 600), "seconds to wait for an answer; checks go on meanwhile")
    exclude: tuple[str, ...] = _setting(
        (),
        ListOf(Pattern()),
        "files of which nothing is ever sent; the lists of all places are joined",
        adds_up=True,
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, with their defaults."""

    budget: float = _setting(1.0, Number(0.01, 3600), "processor seconds that the check of one function may use")
    jobs: int = _setting(
        0,
        Number(0, 256, whole=True),
        "functions checked at the same time; 0: by the number of cores",
    )
    seed: int = _setting(0, Number(0, 2**63 - 1, whole=True), "random seed; the same seed gives the same new inputs")
    python: str = _setting(
        "",
        Text("the path of a Python interpreter"),
        "the interpreter that runs your code; empty: the project's, which is found",
    )
    oracles: tuple[str, ...] = _setting(
        ("reference", "previous", "examples", "contract", "return"),
        ListOf(Choice(tuple(kind.value for kind in OracleKind))),
        "what functions are compared with; off by default are `annotation`, `robustness` and `model` (which needs "
        "`llm.enabled`); the command line compares with `previous` only with `--oracle git`",
    )
    tests: str = _setting(
        RUN,
        Choice((RUN, READ)),
        'what the project\'s tests give: "run": also arguments that no expression makes, and what judges functions '
        'that nothing else can judge; for these, tests are run, confined; "read": only what their text says',
    )
    references: tuple[tuple[str, str], ...] = _setting(
        (),
        TableOf(Text('a text like "reference.py::name"')),
        'functions that you take to be right: `"pkg/module.py::f" = "reference.py::g"`, relative to pyproject.toml',
    )
    types: tuple[tuple[str, tuple[str, ...]], ...] = _setting(
        (),
        TableOf(ListOf(Construction())),
        'how objects of a class are made: `"shop.cart.Cart" = ["shop.cart.Cart([3])", "shop.samples.cart(items=2)"]`; '
        "with those in examples and tests, these are all objects of the class",
    )
    strategies: tuple[str, ...] = _setting(
        (),
        ListOf(ModuleName()),
        "modules that register Hypothesis strategies, beside those of the project whose text shows it",
    )
    tolerance: float = _setting(
        1e-6,
        Number(0, LARGEST_TOLERANCE),
        "how much two floats may differ and still count as equal, relative and absolute",
    )
    order: str = _setting(
        "same", Choice(ORDERS), 'whether lists with the same items in another order count as equal ("any")'
    )
    exceptions: str = _setting(
        "same", Choice(EXCEPTIONS), 'whether exceptions of different types count as equal ("any")'
    )
    exclude: tuple[str, ...] = _setting(
        (), ListOf(Pattern()), "files that are never checked, as patterns relative to pyproject.toml"
    )
    respect_gitignore: bool = _setting(
        True,  # noqa: FBT003
        Flag(),
        "command line: whether files in a folder are left out if a .gitignore names them",
    )
    read: tuple[str, ...] = _setting(
        (),
        ListOf(Text("the path of a folder or file")),
        "what checked code may read besides the interpreter and the project",
    )
    network: bool = _setting(False, Flag(), "whether checked code may use the network")  # noqa: FBT003
    memory_limit: int = _setting(4096, Number(64, 1 << 20, whole=True), "megabytes of memory that checked code may use")
    database: str = _setting(
        "", Text('a path, or "off"'), 'the folder of remembered inputs; empty: your cache folder; "off": none'
    )
    baseline: str = _setting(
        "", Text("a path"), "the file of findings that you know, relative to pyproject.toml; they are left out"
    )
    trigger: str = _setting(
        "accepted", Choice(("accepted", "changed", "save", "manual")), "editor: when to check a function"
    )
    severity: tuple[tuple[str, str], ...] = _setting(
        (),
        TableOf(Choice(SEVERITIES), tuple(kind.value for kind in OracleKind)),
        "how severe findings are, by what the function was compared with; other outputs take their level from it: "
        '`{ previous = "warning" }`',
    )
    debounce: float = _setting(0.3, Number(0, 60), "editor: seconds without typing before a check starts")
    code_lens: bool = _setting(True, Flag(), "editor: show a line above each checked function")  # noqa: FBT003
    inlay_hints: bool = _setting(False, Flag(), "editor: show the result behind each checked function's name")  # noqa: FBT003
    llm: LlmSettings = field(default=LlmSettings())
    root: Path | None = None
    """Folder of the pyproject.toml that was read, the base of relative paths. Not a setting."""
    trusts_project: bool = False
    """Whether the user lets the project's files decide what its code may do. Not a setting."""
    not_followed: tuple[str, ...] = ()
    """Settings of the project's file that were left out because they need the user's trust. Not a setting."""

    def baseline_path(self, folder: Path) -> Path | None:
        """Return the path of the baseline, or None if disabled; `folder` is the project's."""
        return (self.root or folder) / Path(self.baseline).expanduser() if self.baseline else None

    def describe_not_followed(self) -> str:
        """Return a sentence about settings of the project's file that need the user's trust, or an empty string."""
        if not self.not_followed or self.root is None:
            return ""
        return f"{self.root / 'pyproject.toml'}: not followed: {', '.join(self.not_followed)}; {HOW_TO_TRUST}."

    def severity_of(self, kind: OracleKind, default: str) -> str:
        """Return the configured severity for findings of an oracle, or `default`."""
        return dict(self.severity).get(kind.value, default)


@dataclass(frozen=True, slots=True)
class Layer:
    """Settings from one source; `source` names it in messages."""

    source: str
    values: Mapping[str, object]


def load_settings(folder: Path, *layers: Layer) -> Settings:
    """Load the settings of a folder: the nearest pyproject.toml with our table, overridden by `layers` in order.

    Raises:
        UserError: a file cannot be read, a key is unknown, or a value is not allowed; the message names all three.
    """
    settings = Settings(trusts_project=open_trusted_projects().trusts(folder))
    found = find_pyproject(folder)
    if found is not None:
        settings = apply_file(settings, *found)
    for layer in layers:
        settings = apply_layer(settings, layer)
    return settings


def apply_file(settings: Settings, path: Path, table: Mapping[str, object]) -> Settings:
    """Override `settings` with the table of the pyproject.toml at `path`, without permissions that need trust.

    Raises:
        UserError: unknown key, or value that is not allowed, in general or in a project file.
    """
    _check_repository(path, table)
    source = f"{path} [tool.lsp-evalplus]"
    applied = dataclasses.replace(apply_layer(settings, Layer(source, table)), root=path.parent)
    kept = {name: getattr(settings, name) for name in PERMISSIONS}
    kept |= {name: getattr(settings, name) for name in PLACES if _leads_outside(getattr(applied, name), path.parent)}
    changed = [name for name, value in kept.items() if getattr(applied, name) != value]
    if settings.trusts_project or not changed:
        return applied
    return dataclasses.replace(applied, **kept, not_followed=(*settings.not_followed, *changed))


def _leads_outside(place: str, folder: Path) -> bool:
    """Whether a place named by the pyproject.toml in `folder` is outside of the project."""
    return place not in ("", "off") and not is_within_project(Path(place), folder)


def _check_repository(path: Path, table: Mapping[str, object]) -> None:
    """Reject settings in an untrusted project file that select where code and keys are sent.

    Raises:
        UserError: it has such settings.
    """
    llm = table.get("llm")
    for key, value in cast("Mapping[str, object]", llm).items() if isinstance(llm, Mapping) else ():
        if to_kebab(key) in {"base-url", "api-key-env", "model"} or (to_kebab(key) == "enabled" and value is True):
            raise UserError(
                f"{path} [tool.lsp-evalplus]: llm.{key} may not be set in a project's file; set it in your editor, or "
                "with the options of `lsp-evalplus seeds`."
            )


def find_pyproject(folder: Path) -> tuple[Path, Mapping[str, object]] | None:
    """Find the nearest pyproject.toml upwards that has a ``[tool.lsp-evalplus]`` table; return path and table.

    Raises:
        UserError: the nearest pyproject.toml is not readable TOML.
    """
    folder = folder.absolute()
    for candidate in (folder, *folder.parents):
        path = candidate / "pyproject.toml"
        if path.is_file():
            table = _read_table(path)
            if table is not None:
                return path, table
        if (candidate / ".git").exists():
            break
    return None


def find_lookalikes(folder: Path) -> Iterator[str]:
    """Yield a sentence for each table of `folder`'s pyproject.toml files that is meant as ours but named otherwise."""
    folder = folder.absolute()
    for candidate in (folder, *folder.parents):
        path = candidate / "pyproject.toml"
        try:
            tool = _read_tool(path) if path.is_file() else dict[str, object]()
        except UserError:
            break  # Told by `find_pyproject`, if it matters.
        for name in tool:
            plain = re.sub(r"[^a-z0-9]", "", name.lower())
            if name != _TABLE and difflib.get_close_matches(plain, ["lspevalplus"], cutoff=0.85):
                yield f"{path}: the table [tool.{name}] does not count; its name is [tool.{_TABLE}]."
        if _TABLE in tool or (candidate / ".git").exists():
            break


def apply_layer(settings: Settings, layer: Layer) -> Settings:
    """Override `settings` with `layer`; a value of None counts as not set.

    Raises:
        UserError: unknown key or value that is not allowed.
    """
    return cast("Settings", _apply(settings, layer.values, layer.source, ""))


def describe_settings(
    kind: type[Settings] | type[LlmSettings] = Settings, prefix: str = ""
) -> Iterator[tuple[str, ...]]:
    """Yield rows (key, default, allowed, about) for the documentation, in field order."""
    for item in dataclasses.fields(kind):
        if item.name == "llm":
            yield from describe_settings(LlmSettings, "llm.")
        elif "kind" in item.metadata:
            yield (
                prefix + to_kebab(item.name),
                _show_default(item),
                item.metadata["kind"].allowed,
                item.metadata["about"],
            )


def to_kebab(key: str) -> str:
    """Convert ``memory_limit`` and ``memoryLimit`` to ``memory-limit``."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"-\1", key).replace("_", "-").lower()


def _apply(current: Any, values: Mapping[str, object], source: str, prefix: str) -> object:
    fields = {to_kebab(item.name): item for item in dataclasses.fields(current) if item.metadata or item.name == "llm"}
    changes = dict[str, object]()
    for key, value in values.items():
        item = fields.get(to_kebab(key))
        if item is None:
            raise UserError(_describe_unknown(prefix + key, source, [prefix + known for known in fields]))
        if value is None:
            continue
        if "kind" in item.metadata:
            parsed = _parse(item.metadata["kind"], value, prefix + key, source)
            if item.metadata["adds_up"]:
                parsed = tuple(dict.fromkeys((*getattr(current, item.name), *cast("tuple[str, ...]", parsed))))
            changes[item.name] = parsed
        elif isinstance(value, Mapping):
            table = cast("Mapping[str, object]", value)
            changes[item.name] = _apply(getattr(current, item.name), table, source, f"{key}.")
        else:
            raise UserError(f"{source}: {key} = {_show(value)} is not allowed; it is a table of its own.")
    return dataclasses.replace(current, **changes)


def _parse(kind: Kind, value: object, key: str, source: str) -> object:
    try:
        return kind.parse(value)
    except (ValueError, TypeError):
        raise UserError(f"{source}: {key} = {_show(value)} is not allowed; allowed is {kind.allowed}.") from None


def _describe_unknown(key: str, source: str, known: list[str]) -> str:
    close = difflib.get_close_matches(to_kebab(key), known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(known)}."
    return f"{source}: unknown setting {key}; {hint}"


def _read_tool(path: Path) -> Mapping[str, object]:
    """The tables of all tools in a pyproject.toml."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{path} cannot be read as TOML: {error}.") from error
    tool = document.get("tool", {})
    return cast("dict[str, object]", tool) if isinstance(tool, dict) else {}


def _read_table(path: Path) -> Mapping[str, object] | None:
    table = _read_tool(path).get(_TABLE)
    if table is not None and not isinstance(table, dict):
        raise UserError(f"{path}: tool.lsp-evalplus must be a table.")
    return cast("dict[str, object] | None", table)


def _show_default(item: dataclasses.Field[Any]) -> str:
    return "{}" if isinstance(item.metadata["kind"], TableOf) and not item.default else _show(item.default)


def _show(value: object) -> str:
    """Format a value approximately as TOML, for messages."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_show, cast("list[object]", value))) + "]"
    return repr(value)

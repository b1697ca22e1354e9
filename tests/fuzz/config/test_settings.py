"""Settings: layers, both spellings of keys, and one readable sentence for whatever is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.config.settings import Layer, Settings, apply_layer, describe_settings, load_settings, to_kebab
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import OracleKind

ROOT = Path(__file__).resolve().parents[3]


def write(folder: Path, text: str) -> Path:
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return folder


def test_later_layers_win(tmp_path: Path) -> None:
    write(tmp_path, "[tool.lsp-evalplus]\nbudget = 2\nmemory-limit = 512\nseed = 7\n")
    editor = Layer("editor", {"memoryLimit": 256, "llm": {"apiKeyEnv": "KEY"}, "python": None})
    settings = load_settings(tmp_path, editor, Layer("command line", {"seed": 8}))
    assert (settings.budget, settings.memory_limit, settings.seed) == (2.0, 256, 8)
    assert settings.llm.api_key_env == "KEY"
    assert not settings.llm.enabled
    assert settings.root == tmp_path


def test_no_place_takes_away_what_another_excludes(tmp_path: Path) -> None:
    write(tmp_path, '[tool.lsp-evalplus.llm]\nexclude = ["billing/**"]\n')
    editor = Layer("editor", {"llm": {"exclude": ["hr/**", "billing/**"]}})
    settings = load_settings(tmp_path, editor, Layer("workspace", {"llm": {"exclude": []}}))
    assert settings.llm.exclude == ("billing/**", "hr/**")


def test_the_nearest_table_counts(tmp_path: Path) -> None:
    write(tmp_path, "[tool.lsp-evalplus]\nbudget = 2\n")
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    write(tmp_path / "a", "[tool.other]\nx = 1\n")
    assert load_settings(inner).budget == 2.0
    (tmp_path / "a" / ".git").mkdir()
    assert load_settings(inner) == Settings()


def test_references_and_severities() -> None:
    values = {"references": {"a.py::f": "b.py::g"}, "severity": {"previous": "off"}, "oracles": ["examples"]}
    settings = apply_layer(Settings(), Layer("here", values))
    assert dict(settings.references) == {"a.py::f": "b.py::g"}
    assert settings.severity_of(OracleKind.PREVIOUS, "warning") == "off"
    assert settings.severity_of(OracleKind.EXAMPLES, "warning") == "warning"
    assert settings.oracles == ("examples",)
    assert hash(settings)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"bugdet": 1}, "here: unknown setting bugdet; did you mean budget?"),
        ({"xyzzy": 1}, "here: unknown setting xyzzy; known are budget, "),
        ({"budget": "fast"}, 'here: budget = "fast" is not allowed; allowed is a number from 0.01 to 3600.'),
        ({"budget": True}, "here: budget = true is not allowed"),
        ({"budget": 0}, "here: budget = 0 is not allowed"),
        ({"budget": float("nan")}, "here: budget = nan is not allowed"),
        ({"jobs": 1.5}, "here: jobs = 1.5 is not allowed; allowed is a whole number from 0 to 256."),
        ({"network": "yes"}, 'here: network = "yes" is not allowed; allowed is true or false.'),
        ({"python": 3}, "here: python = 3 is not allowed; allowed is the path of a Python interpreter."),
        ({"trigger": "always"}, 'allowed is one of "accepted", "changed", "save", "manual".'),
        ({"oracles": "git"}, "allowed is a list; each item one of"),
        ({"oracles": ["git"]}, 'here: oracles = ["git"] is not allowed'),
        ({"severity": {"git": "off"}}, "allowed is a table with keys among reference, previous"),
        ({"references": ["a"]}, 'here: references = ["a"] is not allowed; allowed is a table'),
        ({"llm": True}, "here: llm = true is not allowed; it is a table of its own."),
        ({"llm": {"modell": "x"}}, "here: unknown setting llm.modell; did you mean llm.model?"),
        ({"llm": {"timeout": "x"}}, 'here: llm.timeout = "x" is not allowed; allowed is a number from 1 to 600.'),
    ],
)
def test_one_sentence_names_key_value_and_what_is_allowed(values: dict[str, object], sentence: str) -> None:
    with pytest.raises(UserError, match=re.escape(sentence)) as caught:
        apply_layer(Settings(), Layer("here", values))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[tool.lsp-evalplus\n", "cannot be read as TOML"),
        ("[tool]\nlsp-evalplus = 3\n", "tool.lsp-evalplus must be a table"),
        ("[tool.lsp-evalplus]\nbudget = 'x'\n", r"pyproject.toml \[tool.lsp-evalplus\]: budget = \"x\""),
    ],
)
def test_a_broken_file_is_named(text: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=sentence):
        load_settings(write(tmp_path, text))


@pytest.mark.parametrize(
    "line", ["base-url = 'http://evil'", "apiKeyEnv = 'AWS_SECRET'", "model = 'm'", "enabled = true"]
)
def test_a_project_cannot_choose_where_code_is_sent(line: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="may not be set in a project's file"):
        load_settings(write(tmp_path, f"[tool.lsp-evalplus.llm]\n{line}\n"))


def test_a_project_may_keep_code_from_being_sent(tmp_path: Path) -> None:
    text = "[tool.lsp-evalplus.llm]\nenabled = false\nexclude = ['billing/**']\n"

    assert load_settings(write(tmp_path, text)).llm.exclude == ("billing/**",)


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="cannot be read as TOML"):
        load_settings(tmp_path)


@pytest.mark.parametrize(
    ("key", "kebab"), [("memoryLimit", "memory-limit"), ("memory_limit", "memory-limit"), ("llm", "llm")]
)
def test_spellings(key: str, kebab: str) -> None:
    assert to_kebab(key) == kebab


def test_the_documented_table_is_true() -> None:
    """Rows of docs/settings.md: | `key` | default | allowed | about |."""
    text = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    documented = [
        tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
        for line in text.split("\n")
        if line.startswith("| `")
    ]
    expected = [
        (f"`{key}`", f"`{default}`", allowed.replace("|", "\\|"), about.replace("|", "\\|"))
        for key, default, allowed, about in describe_settings()
    ]
    assert [row for row in documented if len(row) == 4] == expected

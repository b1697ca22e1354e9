"""The group of subcommands: lazy imports, and failures reported in one sentence."""

from __future__ import annotations

import difflib
import errno
import importlib
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from lsp_evalplus.fuzz.errors import UserError, WorkerError

from .failure import Stopped

_EXIT_USAGE, _EXIT_BUG, _EXIT_INTERRUPTED = 2, 70, 130
_COMPLETION = "_LSP_EVALPLUS_COMPLETE"
"""Set by the scripts of `completion` when they request completions."""
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class LazyGroup(click.Group):
    """Subcommands by name, each as ``module:attribute`` with its line of help."""

    def __init__(self, table: Mapping[str, tuple[str, str]]) -> None:
        super().__init__(
            name="lsp-evalplus",
            help="Is the code you just accepted really correct? See the smallest input that proves it is not.",
            context_settings={"help_option_names": ["-h", "--help"]},
            params=[_version_option()],
            no_args_is_help=True,
        )
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in self._table:
            return None
        module, _, attribute = self._table[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand; one that is mistyped is guessed, without importing any."""
        if args[0] not in self._table and not args[0].startswith("-") and not ctx.resilient_parsing:
            close = difflib.get_close_matches(args[0], self._table, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"the commands are {', '.join(self._table)}."
            if args[0].endswith(".py") or os.path.exists(args[0]):
                hint = f"did you mean `lsp-evalplus check {args[0]}`?"
            raise click.UsageError(f"there is no command {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in self._table.items()])


def _version_option() -> click.Option:
    def show(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
        if value:
            from importlib.metadata import version

            click.echo(f"lsp-evalplus {version('lsp-evalplus')}")
            context.exit()

    return click.Option(
        ["-V", "--version"], is_flag=True, is_eager=True, expose_value=False, callback=show, help="Show the version."
    )


def _wants_color() -> bool | None:
    """Whether the user wants colours (no-color.org, force-color.org); None: where there is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    return True if os.environ.get("FORCE_COLOR") else None


def _require_folder() -> None:
    try:
        os.getcwd()
    except OSError as error:
        raise UserError("the current folder does not exist any more; change to one that does.") from error


def run_group(table: Mapping[str, tuple[str, str]], arguments: Sequence[str]) -> int:
    """Run a subcommand of `table` and return the exit code; every failure is reported in one sentence on stderr.

    Raises:
        OSError: the reader of the output is gone, or the disk is full; the latter has been reported.
    """
    group = LazyGroup(table)
    if _COMPLETION in os.environ:
        from .completion import register_shells

        register_shells()
        group.main(args=list(arguments), prog_name="lsp-evalplus")
    try:
        # Not `group.main`: it exits with 1 on a broken pipe, and 1 means "findings".
        with group.make_context("lsp-evalplus", list(arguments), color=_wants_color()) as context:
            _require_folder()
            result = group.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show(sys.stderr)
        return error.exit_code
    except Stopped as error:
        error.show(sys.stderr)
        return error.exit_code
    except click.ClickException as error:
        _say(_describe(error))
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _EXIT_INTERRUPTED
    except UserError as error:
        return _say(str(error))
    except WorkerError as error:
        sentence = str(error).rstrip(".")
        return _say(f"{sentence}. `lsp-evalplus doctor` says what works here.")
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno not in _NO_ROOM:
            return _report_bug(error)
        _say(f"nothing more can be written: {os.strerror(error.errno)}.")
        raise
    except Exception as error:  # noqa: BLE001 - the last line of defence: a bug becomes a log file and a sentence
        return _report_bug(error)
    return result if isinstance(result, int) and not isinstance(result, bool) else 0


def _describe(error: click.ClickException) -> str:
    """A failure that click found, in the style of every other one; where an option is wrong, the way to its help."""
    sentence = error.format_message()
    if isinstance(error, click.UsageError) and error.ctx is not None:
        sentence = sentence if sentence.endswith((".", "?", ")")) else f"{sentence}."
        sentence += f" `{error.ctx.command_path} --help` lists what there is."
    return sentence


def _say(sentence: str) -> int:
    click.echo(f"lsp-evalplus: {sentence}", err=True)
    return _EXIT_USAGE


def _report_bug(error: Exception) -> int:
    kind = f"{type(error).__name__}: {error}".partition("\n")[0][:200]
    place = _write_log("".join(traceback.format_exception(error)))
    where = f"; details are in {place}" if place is not None else ""
    click.echo(f"lsp-evalplus: this is a bug of lsp-evalplus ({kind}){where}.", err=True)
    return _EXIT_BUG


def _write_log(text: str) -> Path | None:
    """Write a traceback to the user's log folder, else the temporary folder; None if neither is writable."""
    import tempfile
    import time

    import platformdirs

    name = time.strftime("crash-%Y%m%d-%H%M%S.log")
    for folder in (Path(platformdirs.user_log_dir("lsp-evalplus")), Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        except OSError:
            continue
        return folder / name
    return None

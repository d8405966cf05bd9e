"""Prints what a shell needs to complete the command line; `shtab` writes it from the grammar itself."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

SHELLS: Final = ("bash", "zsh", "tcsh")

_PATHS: Final = frozenset({"PATH", "DIR", "FILE", "FOLDER"})
"""Names in the usage that stand for a path."""


class PrintCompletions(argparse.Action):
    """Prints the completions for a shell to standard output, and ends."""

    def __init__(self, option_strings: Sequence[str], dest: str, **options: Any) -> None:
        super().__init__(option_strings, dest, choices=SHELLS, default=argparse.SUPPRESS, **options)

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Write the whole grammar for the shell."""
        import shtab

        del namespace, option_string
        for action in _actions(parser):
            if action.metavar in _PATHS:
                action.complete = shtab.FILE  # type: ignore[attr-defined]  # shtab's own way to say so
        sys.stdout.write(f"{shtab.complete(parser, values)}\n")
        parser.exit()


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way to walk its grammar
        yield action
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - nor to know its commands
            for inner in action.choices.values():
                yield from _actions(inner)

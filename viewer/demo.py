"""`maka-ledger demo`: a sample workspace that really crashed, opened like any other."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from core import build_demo

from .leaving import orderly_end, temporary_folder
from .new_folder import new_folder
from .output import Output

_MINUTE_MS: Final = 60_000
_AGE_MINUTES: Final = 121
"""Age of the newest event: the crash of this morning, not one of this minute, which might be no crash at all."""

_SECONDS_MS: Final = 24_200
"""Where in its minute the newest event lies, so that its seconds are always the same."""


def demo(options: argparse.Namespace, out: Output, show: Callable[[str], int], now_ms: float) -> int:
    """Make the sample workspace, show it, and remove it unless it is to be kept; 0 if all went well.

    `show` gets the path of a state root and returns an exit code. Raises RequestError where the folder to keep is
    taken, ChildFailed where no process could be made to crash.
    """
    with orderly_end(), _workspace(options.keep) as root:
        build_demo(root, newest_event_ms(now_ms))
        code = show(str(root))
    if options.keep is not None:
        out.note(f"kept in {options.keep}")
    return code


def newest_event_ms(now_ms: float) -> float:
    """Return when the newest event of a workspace is to have happened that is made now; both in ms since 1970."""
    return (now_ms // _MINUTE_MS - _AGE_MINUTES) * _MINUTE_MS + _SECONDS_MS


@contextmanager
def _workspace(keep: str | None) -> Iterator[Path]:
    if keep is None:
        with temporary_folder("maka-ledger-demo-") as folder:
            # The viewer calls a workspace by the name of its folder.
            yield folder / "default"
        return
    yield new_folder(keep)

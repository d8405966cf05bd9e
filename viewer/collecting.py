"""When garbage is collected. While the program loads there is none, and looking for it takes a tenth of that time."""

from __future__ import annotations

import gc


def collect_again() -> None:
    """Go on collecting garbage where that was switched off, but never look through what the program consists of."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()

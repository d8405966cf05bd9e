"""The entry point, installed under the distribution's own name, which nobody else ships.

`core` and `viewer` are common names. Where another package hides ours, this says so instead of failing inside it.
"""

from __future__ import annotations

import importlib
import sys

DISTRIBUTION = "maka-ledger"


def main() -> int:
    """Run the command line; 3 if `core` or `viewer` is not ours."""
    for name in ("core", "viewer"):
        module = importlib.import_module(name)
        if getattr(module, "__distribution__", None) != DISTRIBUTION:
            where = getattr(module, "__file__", None) or "a namespace package"
            print(  # noqa: T201  the command line itself cannot be imported here
                f"{DISTRIBUTION}: another package named {name!r} hides ours: {where}. "
                f"Install {DISTRIBUTION} in an environment of its own (pipx install {DISTRIBUTION}), "
                "or unset PYTHONPATH.",
                file=sys.stderr,
            )
            return 3
    code: int = importlib.import_module("viewer.cli").main()
    return code


if __name__ == "__main__":
    sys.exit(main())

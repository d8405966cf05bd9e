"""The entry point, installed under the distribution's own name, which nobody else ships.

`core` and `viewer` are common names. Where another package hides ours, this says so instead of failing inside it.
"""

from __future__ import annotations

import gc
import importlib
import sys

DISTRIBUTION = "maka-ledger"


def main() -> int:
    """Run the command line; 3 if `core` or `viewer` is not ours."""
    gc.disable()  # nothing that is loaded is garbage; the command line collects it again
    try:
        for name in ("core", "viewer"):
            where = hidden_by(name)
            if where is not None:
                print(  # noqa: T201  the command line itself cannot be imported here
                    f"{DISTRIBUTION}: another package named {name!r} hides ours: {where}. "
                    f"Install {DISTRIBUTION} in an environment of its own (pipx install {DISTRIBUTION}), "
                    "or unset PYTHONPATH.",
                    file=sys.stderr,
                )
                return 3
        code: int = importlib.import_module("viewer.cli").main()
    except KeyboardInterrupt:
        return 130
    finally:
        gc.enable()
    return code


def hidden_by(name: str) -> str | None:
    """Return where the package of that name comes from if it is not ours; None if it is."""
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name == name:
            return "there is none at all"
        # Ours needs packages that may be missing, and then that is the news.
        if _is_ours(name):
            raise
        return _origin(name)
    except Exception:  # a foreign package may fail in any way when it is imported
        if _is_ours(name):
            raise
        return _origin(name)
    ours = getattr(module, "__distribution__", None) == DISTRIBUTION
    return None if ours else getattr(module, "__file__", None) or "a namespace package"


def _origin(name: str) -> str:
    import importlib.util

    spec = importlib.util.find_spec(name)
    return (spec.origin if spec else None) or "a namespace package"


def _is_ours(name: str) -> bool:
    try:
        with open(_origin(name), encoding="utf-8") as source:  # noqa: PTH123  the less is imported here, the better
            return f'__distribution__ = "{DISTRIBUTION}"' in source.read()
    except (OSError, UnicodeDecodeError):
        return False


if __name__ == "__main__":
    sys.exit(main())

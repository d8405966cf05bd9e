"""Draws the pictures of the README from a workspace that is written for them: the same pictures on every machine.

    python screenshots/make.py [FOLDER]

The pictures load nothing: they name fonts that a machine has anyway.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Write every picture beside this script, or into the folder that is named."""
    # Textual reads these when it is imported.
    for variable in ("NO_COLOR", "TEXTUAL_THEME", "TEXTUAL_FILTERS"):
        os.environ.pop(variable, None)
    os.environ |= {
        "TEXTUAL_ANIMATIONS": "none",
        "TEXTUAL_COLOR_SYSTEM": "truecolor",
        "COLORTERM": "truecolor",
        "TERM": "xterm-256color",
    }
    sys.path.insert(0, str(ROOT))
    importlib.import_module("screenshots.pictures").draw(
        Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "screenshots"
    )


if __name__ == "__main__":
    main()

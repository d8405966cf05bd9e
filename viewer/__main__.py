"""`python -m viewer` is the command line."""

from __future__ import annotations

import sys

from ._launcher import main

if __name__ == "__main__":
    sys.exit(main())

"""The terminal viewer: displays what `core` computed, decides nothing."""

__distribution__ = "maka-ledger"

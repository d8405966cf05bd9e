"""The terminal viewer: displays what `core` computed, decides nothing."""

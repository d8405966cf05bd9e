"""The decision: events are folded into tool operations, and these into a resume plan."""

"""News from the threads that read. A thread only posts these; handlers on the application's own thread do the rest."""

from __future__ import annotations

from collections.abc import Sequence

from textual.message import Message

from core import Finding, RunSummary


class RemarksRead(Message):
    """The storage as a whole was looked at."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__()
        self.findings = tuple(findings)


class RunsRead(Message):
    """Some runs were read, or read anew."""

    def __init__(self, summaries: Sequence[RunSummary]) -> None:
        super().__init__()
        self.summaries = tuple(summaries)


class ReadingProgress(Message):
    """How far the reading of one ledger is; an older one that nobody has looked at is dropped."""

    def __init__(self, run_id: str, share: float) -> None:
        super().__init__()
        self.run_id = run_id
        self.share = share
        """From 0 to 1."""

    def can_replace(self, message: Message) -> bool:
        """Take the place of any other progress."""
        return isinstance(message, ReadingProgress)


class ReadingEnded(Message):
    """Every run was read."""

"""What a crash test found, failpoint by failpoint and kill by kill (contract: process-crash harness)."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from ..decision.failpoints import Failpoint


class Check(Struct, frozen=True):
    """One thing that must hold."""

    code: str
    """A stable word."""
    expected: str
    seen: str
    passed: bool

    def as_document(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {"code": self.code, "expected": self.expected, "seen": self.seen, "passed": self.passed}


class CrashReport(Struct, frozen=True):
    """What was found after a child was killed at one failpoint."""

    failpoint: Failpoint
    expected: str
    """The decision that the contract requires, in one line."""
    seen: str
    """The decision that was made, or why there is none."""
    checks: tuple[Check, ...]
    duration_ms: float
    """From the start of the child to the last check."""
    child_stderr: str = ""
    """What the child complained of; empty where all passed."""

    @property
    def passed(self) -> bool:
        """Whether everything held; a report without checks proves nothing."""
        return bool(self.checks) and all(check.passed for check in self.checks)

    def as_document(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            **self.failpoint.as_document(),
            "expected": self.expected,
            "seen": self.seen,
            "passed": self.passed,
            "checks": [check.as_document() for check in self.checks],
            "durationMs": round(self.duration_ms, 1),
            "childStderr": self.child_stderr,
        }


class TornReport(Struct, frozen=True):
    """What was found after a child was killed while it appended."""

    seed: int
    """What chose the rows and the moment."""
    acknowledged: int
    """Rows whose append had returned."""
    committed: int
    """Rows that the reopened ledger counts: those, and at most the one that was being appended."""
    torn_bytes: int
    """Bytes of a row that was cut off; 0 where none was."""
    checks: tuple[Check, ...]
    duration_ms: float
    child_stderr: str = ""

    @property
    def passed(self) -> bool:
        """Whether everything held; a report without checks proves nothing."""
        return bool(self.checks) and all(check.passed for check in self.checks)

    def as_document(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "seed": self.seed,
            "acknowledgedRows": self.acknowledged,
            "committedRows": self.committed,
            "tornBytes": self.torn_bytes,
            "passed": self.passed,
            "checks": [check.as_document() for check in self.checks],
            "durationMs": round(self.duration_ms, 1),
            "childStderr": self.child_stderr,
        }


def crash_document(reports: Sequence[CrashReport], torn: Sequence[TornReport] = ()) -> dict[str, object]:
    """Say what a crash test found, and where it was run: schema `maka-ledger/crash-test@1`."""
    return {
        "schema": "maka-ledger/crash-test@1",
        "passed": all(report.passed for report in reports) and all(report.passed for report in torn),
        "platform": platform.platform(),
        "python": sys.version.split()[0],
        "failpoints": [report.as_document() for report in reports],
        "torn": [report.as_document() for report in torn],
    }

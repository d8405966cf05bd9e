"""Reads Maka ledgers honestly and decides what may be replayed; knows no terminal."""

from __future__ import annotations

from .codec import decode_event, decode_run_header
from .errors import CoreError, EventDecodeError, HeaderDecodeError
from .events import RuntimeEvent
from .failpoints import RUNTIME_RESUME_FAILPOINTS, CommittedPrefix, Failpoint, failpoints_for
from .headers import RunHeader
from .operations import OperationStatus, ToolOperation, project_operations
from .replay import replay_events
from .resume import Disposition, ResumePlan, build_resume_plan

__all__ = [
    "RUNTIME_RESUME_FAILPOINTS",
    "CommittedPrefix",
    "CoreError",
    "Disposition",
    "EventDecodeError",
    "Failpoint",
    "HeaderDecodeError",
    "OperationStatus",
    "ResumePlan",
    "RunHeader",
    "RuntimeEvent",
    "ToolOperation",
    "build_resume_plan",
    "decode_event",
    "decode_run_header",
    "failpoints_for",
    "project_operations",
    "replay_events",
]

"""Where a run comes from and what came out of it: parent, children, continuations, retries. It decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TypeAlias

from msgspec import Struct

from ..records.headers import RunHeader

RunKey: TypeAlias = tuple[str, str]
"""Session and run."""


class RunLink(Struct, frozen=True):
    """Another run, and the tool call by which one of the two started the other, where it is known."""

    session_id: str
    run_id: str
    tool_call_id: str | None = None

    def as_document(self) -> dict[str, object]:
        """Return plain JSON types; absent facts are absent keys."""
        facts = {"sessionId": self.session_id, "runId": self.run_id, "toolCallId": self.tool_call_id}
        return {key: value for key, value in facts.items() if value is not None}


class ContinuationClaim(Struct, frozen=True):
    """A claim of one run to continue another from a prefix of its ledger."""

    claim_id: str
    source_session_id: str
    source_run_id: str
    source_high_water: float | None
    """How many events of the source were taken over."""
    target_session_id: str
    target_run_id: str
    claimed_at: float | None
    """Milliseconds since 1970."""
    start_event_id: str | None
    """The event with which the target began; None where it was only claimed."""
    start_kind: str | None
    """`runtime_admission` or `claim_repair`."""

    def as_document(self) -> dict[str, object]:
        """Return plain JSON types; absent facts are absent keys."""
        facts = {
            "claimId": self.claim_id,
            "sourceEventHighWater": self.source_high_water,
            "targetSessionId": self.target_session_id,
            "targetRunId": self.target_run_id,
            "claimedAt": self.claimed_at,
            "startEventId": self.start_event_id,
            "startKind": self.start_kind,
        }
        return {key: value for key, value in facts.items() if value is not None}


class SubagentSpawn(Struct, frozen=True):
    """Which tool call of a run started which child session."""

    parent_session_id: str
    parent_run_id: str
    tool_call_id: str
    child_session_id: str
    child_run_id: str
    """The child session's first run."""
    claimed_at: float | None
    """Milliseconds since 1970."""


class Lineage(Struct, frozen=True):
    """The relatives of one run, by the headers of its workspace and by what a database keeps beside them."""

    parent: RunLink | None = None
    """The run that started this one; its tool call, where it is known."""
    children: tuple[RunLink, ...] = ()
    """The runs that this one started; the call of this run, where it is known."""
    continuation_of: RunLink | None = None
    continued_by: tuple[RunLink, ...] = ()
    """The runs whose headers say that they continue this one."""
    claims: tuple[ContinuationClaim, ...] = ()
    """Every claim to continue this run, also those that never began."""
    resumed_from: str | None = None
    resumed_by: tuple[str, ...] = ()
    retry_of: str | None = None
    """The run that this one tries again, as are the next."""
    retried_by: tuple[str, ...] = ()

    def as_document(self) -> dict[str, object]:
        """Return plain JSON types; absent facts are absent keys."""
        facts: dict[str, object | None] = {
            "parent": self.parent.as_document() if self.parent else None,
            "children": [child.as_document() for child in self.children],
            "continuationOf": self.continuation_of.as_document() if self.continuation_of else None,
            "continuedBy": [run.as_document() for run in self.continued_by],
            "claims": [claim.as_document() for claim in self.claims],
            "resumedFrom": self.resumed_from,
            "resumedBy": list(self.resumed_by),
            "retryOf": self.retry_of,
            "retriedBy": list(self.retried_by),
        }
        return {key: value for key, value in facts.items() if value not in (None, [])}


NO_RELATIVES = Lineage()


class Family:
    """The runs of one workspace as relatives of each other. Everything is read when somebody first asks.

    `headers` gives session, run and header of every run whose header can be read.
    """

    def __init__(
        self,
        headers: Callable[[], Iterable[tuple[str, str, RunHeader]]],
        spawns: Callable[[], Iterable[SubagentSpawn]] = tuple,
        claims: Callable[[], Iterable[ContinuationClaim]] = tuple,
    ) -> None:
        self._read_headers = headers
        self._read_spawns = spawns
        self._read_claims = claims

    def of(self, session_id: str, run_id: str) -> Lineage:
        """Return the relatives of a run."""
        return self._lineages.get((session_id, run_id), NO_RELATIVES)

    @cached_property
    def _lineages(self) -> Mapping[RunKey, Lineage]:
        drafts: dict[RunKey, _Draft] = {}

        def draft(session_id: str, run_id: str) -> _Draft:
            return drafts.setdefault((session_id, run_id), _Draft())

        for session_id, run_id, header in self._read_headers():
            _take_header(draft, session_id, run_id, header)
        for spawn in self._read_spawns():
            child, parent = (spawn.child_session_id, spawn.child_run_id), (spawn.parent_session_id, spawn.parent_run_id)
            draft(*child).parent = RunLink(*parent, spawn.tool_call_id)
            draft(*parent).children[child] = RunLink(*child, spawn.tool_call_id)
        for claim in self._read_claims():
            draft(claim.source_session_id, claim.source_run_id).claims.append(claim)
        return {key: one.lineage() for key, one in drafts.items()}


class _Draft:
    def __init__(self) -> None:
        self.parent: RunLink | None = None
        self.children: dict[RunKey, RunLink] = {}
        self.continuation_of: RunLink | None = None
        self.continued_by: list[RunLink] = []
        self.claims: list[ContinuationClaim] = []
        self.resumed_from: str | None = None
        self.resumed_by: list[str] = []
        self.retry_of: str | None = None
        self.retried_by: list[str] = []

    def lineage(self) -> Lineage:
        return Lineage(
            self.parent,
            tuple(self.children.values()),
            self.continuation_of,
            tuple(self.continued_by),
            tuple(self.claims),
            self.resumed_from,
            tuple(self.resumed_by),
            self.retry_of,
            tuple(self.retried_by),
        )


def _take_header(draft: Callable[[str, str], _Draft], session_id: str, run_id: str, header: RunHeader) -> None:
    own = draft(session_id, run_id)
    if header.parent_run_id:
        parent = RunLink(header.parent_session_id or session_id, header.parent_run_id)
        own.parent = parent
        draft(parent.session_id, parent.run_id).children[session_id, run_id] = RunLink(session_id, run_id)
    if header.continuation_source:
        source = header.continuation_source.source_run_id
        own.continuation_of = RunLink(session_id, source)
        draft(session_id, source).continued_by.append(RunLink(session_id, run_id))
    if header.resumed_from_run_id:
        own.resumed_from = header.resumed_from_run_id
        draft(session_id, header.resumed_from_run_id).resumed_by.append(run_id)
    if header.retried_from_run_id:
        own.retry_of = header.retried_from_run_id
        draft(session_id, header.retried_from_run_id).retried_by.append(run_id)

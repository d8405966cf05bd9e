"""Tool calls in columns: some 30 bytes for an ordinary call, an object only for one that is out of the ordinary.

Every fact carries the position of its event, so a call can be judged as of any prefix.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from enum import StrEnum
from operator import attrgetter, itemgetter
from typing import Final, NamedTuple

from msgspec import Struct

from .recovery import COMPLETED, INVALID, RecoveryFacts


class OperationStatus(StrEnum):
    """What the ledger says about a tool call (contract: Vocabulary)."""

    INDETERMINATE = "indeterminate"
    NOT_DISPATCHED = "not_dispatched"
    PARKED = "parked"
    CORRUPTION = "corruption"
    SUCCEEDED = "succeeded"
    FAILED = "failed"

    @property
    def settled(self) -> bool:
        """Whether an outcome is recorded."""
        return self in (OperationStatus.SUCCEEDED, OperationStatus.FAILED)


STATUSES: Final = tuple(OperationStatus)
INDETERMINATE: Final = STATUSES.index(OperationStatus.INDETERMINATE)
NOT_DISPATCHED: Final = STATUSES.index(OperationStatus.NOT_DISPATCHED)
SUCCEEDED: Final = STATUSES.index(OperationStatus.SUCCEEDED)
FAILED: Final = STATUSES.index(OperationStatus.FAILED)
NESTED: Final = len(STATUSES)
"""Added to the position of a status for a hidden call."""
CALLLESS: Final = 2 * NESTED
"""The state of facts whose call is not in the prefix: no operation."""
ABSENT: Final = CALLLESS + 1
"""The state of a call that the prefix does not mention."""
STATES: Final = ABSENT + 1


def is_settled(state: int) -> bool:
    """Whether a state is that of an operation with an outcome."""
    return state < CALLLESS and state % NESTED >= SUCCEEDED


HIDDEN: Final = 1
IS_ERROR: Final = 2
RESPONSE_HIDDEN: Final = 4

_AHEAD: Final = 1024
_ZEROS: Final = bytes(_AHEAD * array("I").itemsize)

_ISSUE_ORDER: Final = (
    "duplicate_call",
    "duplicate_operation",
    "duplicate_dispatch",
    "duplicate_response",
    "orphan_response",
    "canonical_args_hash_conflict",
    "identity_conflict",
    "event_order_conflict",
)


class Decision(NamedTuple):
    """How one call is judged."""

    status: OperationStatus
    reason: str
    settlement_origin: str | None = None


class Shadow(Struct, frozen=True):
    """A later call event with the id of the call's own: whoever looks a call up by event id meets the later one."""

    index: int
    tool_call_id: str
    tool_name: str
    hidden: bool


class OddCall:
    """What an ordinary call has not: issues, repeated facts, recovery, late facts."""

    __slots__ = ("call_id", "extra", "invocation", "issues", "late_name", "recovery", "shadows", "state", "verdicts")

    def __init__(self, invocation: str, call_id: str, state: int) -> None:
        self.invocation = invocation
        self.call_id = call_id
        self.state = state
        """As of the newest event."""
        self.issues: dict[str, int] = {}
        """Position of the first event with each issue."""
        self.late_name: str | None = None
        """Tool name of a call that came after another fact of its operation."""
        self.extra: list[int] = []
        """Positions of repeated facts, which are not used."""
        self.recovery = RecoveryFacts()
        self.verdicts: list[tuple[int, str]] = []
        """What the recovery facts came to, and since when."""
        self.shadows: list[Shadow] = []


class ToolCalls:
    """The calls in the order of their first mention. But in `first`, positions are stored plus one, and 0 is none."""

    def __init__(self) -> None:
        self.first = array("I")
        """Position of the event that mentions the call first: the call event itself, unless `late` has the number."""
        self.late: dict[int, int] = {}
        """Where facts come before their call, or without it: number -> the call event."""
        self.name = array("I")
        """Tool name of the first mention, by its place in `names`."""
        self.names: list[str] = []
        self.dispatch = array("I")
        """This column and the next two are filled with zeros ahead of the calls."""
        self.response = array("I")
        self.bits = bytearray()
        self.odd: dict[int, OddCall] = {}
        self.marked = False
        """Whether the run's first event says that every dispatch is recorded."""
        self._name_numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.first)

    def add(self, index: int, name: str) -> int:
        """Add a call that the event at `index` is the first to mention, and return its number."""
        number = len(self.first)
        if number == len(self.bits):
            self._make_room()
        self.first.append(index)
        self.name.append(self._number_of(name))
        return number

    def add_all(self, indexes: list[int], names: list[str]) -> None:
        """Add many calls as `add` does."""
        missing = len(self.first) + len(indexes) - len(self.bits)
        while missing > 0:
            self._make_room()
            missing -= _AHEAD
        for name in dict.fromkeys(names):
            self._number_of(name)
        self.first.fromlist(indexes)
        self.name.fromlist(list(map(self._name_numbers.__getitem__, names)))

    def _make_room(self) -> None:
        self.dispatch.frombytes(_ZEROS)
        self.response.frombytes(_ZEROS)
        self.bits.extend(bytes(_AHEAD))

    def _number_of(self, name: str) -> int:
        number = self._name_numbers.get(name)
        if number is None:
            number = self._name_numbers[name] = len(self.names)
            self.names.append(name)
        return number

    def call_at(self, number: int) -> int:
        """Return the position of the call event plus one; 0 if the ledger has none."""
        return self.late[number] if number in self.late else self.first[number] + 1

    def name_of(self, number: int) -> str:
        """Return the tool name of a call's first mention."""
        return self.names[self.name[number]]

    def call_name(self, number: int) -> str:
        """Return the tool name that the call itself has."""
        odd = self.odd.get(number)
        return odd.late_name if odd is not None and odd.late_name is not None else self.name_of(number)

    def is_error(self, number: int) -> bool:
        """Whether the response of a call says that it is an error."""
        return bool(self.bits[number] & IS_ERROR)

    def mentioned(self, end: int) -> int:
        """Return how many calls the first `end` events mention."""
        return bisect_left(self.first, end)

    def hidden_at(self, number: int, end: int) -> bool:
        """Whether the call is hidden from the model, as of the first `end` events."""
        shadow = self.shadow_at(number, end)
        return bool(self.bits[number] & HIDDEN) if shadow is None else shadow.hidden

    def shadow_at(self, number: int, end: int) -> Shadow | None:
        """Return the latest shadow of a call among the first `end` events."""
        odd = self.odd.get(number)
        if odd is None or not odd.shadows:
            return None
        place = bisect_left(odd.shadows, end, key=attrgetter("index"))
        return odd.shadows[place - 1] if place else None

    def state_at(self, number: int, end: int) -> int:
        """Return the state of a call as of the first `end` events: a status, NESTED added if it is hidden."""
        if self.first[number] >= end:
            return ABSENT
        if number in self.late and not 0 < self.late[number] <= end:
            return CALLLESS
        if number in self.odd:
            status = STATUSES.index(self.decide(number, end).status)
            return status + NESTED if self.hidden_at(number, end) else status
        bits = self.bits[number]
        if 0 < self.response[number] <= end:
            status = FAILED if bits & IS_ERROR else SUCCEEDED
        else:
            status = NOT_DISPATCHED if self.marked and not 0 < self.dispatch[number] <= end else INDETERMINATE
        return status + NESTED if bits & HIDDEN else status

    def decide(self, number: int, end: int) -> Decision:
        """Judge a call as of the first `end` events, which mention it (format: decisions)."""
        odd = self.odd.get(number)
        dispatched = 0 < self.dispatch[number] <= end
        if odd is not None:
            irregular = self._decide_odd(odd, number, end)
            if irregular is not None:
                return irregular
        if 0 < self.response[number] <= end:
            status = OperationStatus.FAILED if self.bits[number] & IS_ERROR else OperationStatus.SUCCEEDED
            return Decision(status, "matching_response", "normal_t2" if dispatched else "pre_t1_synthetic")
        if dispatched:
            return Decision(OperationStatus.INDETERMINATE, "dispatch_without_response")
        if self.marked:
            return Decision(OperationStatus.NOT_DISPATCHED, "new_protocol_before_dispatch")
        return Decision(OperationStatus.INDETERMINATE, "legacy_dispatch_unknown")

    def _decide_odd(self, odd: OddCall, number: int, end: int) -> Decision | None:
        if not 0 < self.call_at(number) <= end:
            orphan = "orphan_dispatch" if 0 < self.dispatch[number] <= end else "orphan_response"
            return Decision(OperationStatus.CORRUPTION, orphan)
        for code in _ISSUE_ORDER:
            if odd.issues.get(code, end) < end:
                return Decision(OperationStatus.CORRUPTION, code)
        judged = bisect_left(odd.verdicts, end, key=itemgetter(0))
        if not judged:
            return None
        verdict = odd.verdicts[judged - 1][1]
        if verdict == INVALID:
            return Decision(OperationStatus.CORRUPTION, INVALID)
        status = OperationStatus.SUCCEEDED if verdict == COMPLETED else OperationStatus.PARKED
        return Decision(status, verdict, "recovery_bundle")

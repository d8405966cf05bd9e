"""The runs of the demonstration that may be replayed; some of them crashed as well."""

from __future__ import annotations

from typing import Any, Final

from .pen import Pen, shown, terminal
from .sessions import CLEAN, CONFIG, FLAKY, PORT, SCHEDULER
from .texts import ALLOCATOR, FLAKY_TEST, LOG, suite_output

_FILES: Final = ("index", "allocator", "clearance", "tides", "plans", "notify", "slots", "store", "ports", "hulls")


def work(pen: Pen, folder: str, rounds: int, *, dispatched: bool = False) -> None:
    """Write so many rounds of looking at a file, changing it and running its tests; a call and a response a round."""
    for number in range(rounds):
        path = f"{folder}/{_FILES[number // 3 % len(_FILES)]}.ts"
        command = f"npm test -- {path.replace('src', 'test')}"
        name, seconds, args, result = (
            ("Read", 0.1, {"file_path": path}, shown(ALLOCATOR)),
            (
                "Edit", 0.2, {"file_path": path, "old_string": "4000", "new_string": "config.port"},
                {"error": f"no match for old_string in {path}"} if number == 7 else shown("1 replacement"),
            ),
            ("Bash", 3.4, {"command": command}, terminal(command, "ℹ tests 11\nℹ pass 11\nℹ fail 0\n")),
        )[number % 3]  # fmt: skip
        call_id = f"toolu_{pen.run_id[-4:].upper()}{number:02d}"
        _use(pen, call_id, name, seconds, args, result, f"op-{call_id}" if dispatched else None)
        if number % 6 == 5:
            pen.say("That one is done, on to the next.", 0.9)


def _use(
    pen: Pen, call_id: str, name: str, seconds: float, args: dict[str, Any], result: Any, operation: str | None
) -> None:
    pen.call(call_id, name, 0.7, operation, **args)
    if operation is not None:
        pen.dispatch(call_id, name, operation, 0.1, **args)
    pen.answer(call_id, name, seconds, result, operation)


def which_port(shift_ms: int) -> Pen:
    """Write a run that answered a question; one of its tools failed."""
    pen = Pen(PORT, "run-7f3c", "2026-11-29 11:52:10.000", shift_ms)
    pen.user("Which port does the scheduler listen on in production?")
    pen.use("toolu_7C01", "Grep", 0.2, shown("src/index.ts:14: listen(config.port)"), pattern="listen\\(", path="src")
    pen.use("toolu_7C02", "WebFetch", 5.0, {"error": "connect ETIMEDOUT 203.0.113.7:3000"},
            url="https://nordhafen.example:3000/health")  # fmt: skip
    pen.say("On 4000, as config.json says. Nothing answers on 3000 any more.", 1.8)
    pen.tokens(2840, 131)
    pen.end(0.1)
    return pen


def history(shift_ms: int) -> Pen:
    """Write a run that looked at the history, and nothing else."""
    pen = Pen(CLEAN, "run-22bd", "2026-11-28 17:36:44.000", shift_ms)
    pen.user("What is in the last four commits?")
    pen.use("toolu_22B1", "Bash", 0.3, terminal("git log --oneline -4", LOG), command="git log --oneline -4")
    pen.say("Two of them are work in progress and could be squashed.", 1.6)
    pen.end(0.1)
    return pen


def continuation(shift_ms: int) -> Pen:
    """Write a run that goes on where one in doubt had stopped."""
    source = {
        "sourceInvocationId": "inv-run-41d9",
        "sourceRunId": "run-41d9",
        "sourceTurnId": "turn-run-41d9",
        "sourceRuntimeEventHighWater": CONTINUED_AT,
    }
    pen = Pen(CONFIG, "run-41e0", "2026-11-26 11:52:00.000", shift_ms, continuationSource=source)
    pen.user("Go on")
    pen.use("toolu_41E1", "Read", 0.1, shown('{ "port": 4000, "adminPort": 4001 }'), file_path="config.json")
    pen.say("The admin port is there. All ports are in config.json now.", 1.4)
    pen.tokens(6120, 240)
    pen.end(0.1)
    return pen


CONTINUED_AT: Final = 32
"""Committed events of the run that is continued."""


def review(shift_ms: int) -> Pen:
    """Write a run that asked a second agent for a review."""
    pen = Pen(SCHEDULER, "run-91a4", "2026-11-28 15:40:00.000", shift_ms)
    pen.user("Have somebody look at the clearance rule")
    pen.call("toolu_91A4", "Agent", 1.2, description="Review the clearance rule", agent="reviewer")
    pen.answer("toolu_91A4", "Agent", 31.0, shown("The rule is sound; the test beside it is not, it draws at random."))
    pen.say("The reviewer found the rule sound and the test flaky.", 1.3)
    pen.end(0.1)
    return pen


def reviewer(shift_ms: int) -> Pen:
    """Write what the second agent did."""
    pen = Pen(
        SCHEDULER, "run-91a5", "2026-11-28 15:40:02.000", shift_ms,
        parentRunId="run-91a4", parentTurnId="turn-run-91a4", agentId="agent-reviewer", agentName="reviewer",
    )  # fmt: skip
    pen.user("Review the clearance rule")
    pen.use("toolu_91A6", "Read", 0.1, shown(ALLOCATOR), file_path="src/berths/allocator.ts")
    pen.use("toolu_91A7", "Read", 0.1, shown(FLAKY_TEST), file_path="test/berths/allocator.test.ts")
    pen.say("The rule is sound; the test beside it is not, it draws at random.", 9.0)
    pen.end(0.1)
    return pen


def torn(shift_ms: int) -> Pen:
    """Write a run that crashed inside the append of a text: every call is settled, a torn row is left."""
    pen = Pen(FLAKY, "run-0002", "2026-11-26 18:01:20.000", shift_ms)
    pen.user("The test of the allocator fails about one time in ten. Find out why.")
    pen.think("That smells of a random order. I look at the test first.", 1.1)
    pen.use("toolu_0201", "Read", 0.1, shown(FLAKY_TEST), file_path="test/berths/allocator.test.ts")
    pen.use("toolu_0202", "Bash", 14.4, terminal("npm test", suite_output("allocator"), 1), command="npm test")
    work(pen, "src/berths", 11)
    pen.say("It draws ships at random and never says with which seed.", 1.2)
    said = {
        "kind": "text",
        "text": "I give it a fixed seed, and the allocator a rule for ties: earliest arrival first.",
    }
    pen.tear(pen.next_event(0.9, "model", "agent", content=said, refs={"providerEventId": "msg-last"}), 143)
    return pen


def fixed(shift_ms: int) -> Pen:
    """Write a run that ended well, with an operational trace beside it."""
    pen = Pen(FLAKY, "run-0003", "2026-11-26 18:19:30.000", shift_ms)
    pen.trace("run_created", textLength=24, attachmentCount=0)
    pen.trace("run_started")
    pen.user("Give it a fixed seed, then")
    pen.trace("tool_started", toolName="Edit", toolUseId="toolu_0301")
    pen.use("toolu_0301", "Edit", 0.2, shown("1 replacement"), file_path="test/berths/allocator.test.ts",
            old_string="seed: undefined", new_string="seed: 7")  # fmt: skip
    pen.trace("tool_completed", toolName="Edit", toolUseId="toolu_0301")
    pen.trace("tool_started", toolName="Bash", toolUseId="toolu_0302")
    pen.use("toolu_0302", "Bash", 14.1, terminal("npm test", suite_output()), command="npm test")
    pen.trace("tool_completed", toolName="Bash", toolUseId="toolu_0302")
    pen.say("All 104 tests pass, twenty times in a row.", 1.2)
    pen.tokens(5230, 310)
    pen.end(0.1)
    pen.trace("run_completed")
    return pen

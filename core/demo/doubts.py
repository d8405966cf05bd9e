"""The runs of the demonstration that may not be replayed, each for another reason."""

from __future__ import annotations

from typing import Final

from .calm import work
from .pen import PROTOCOL, Pen, shown, terminal
from .sessions import CLEAN, CONFIG, PORT, RELEASE, SCHEDULER, SCHEMA
from .texts import CONFIG as CONFIG_TEXT
from .texts import suite_output

_DEPLOY: Final = {"command": "npm run deploy -- --prod"}
_PUSH: Final = {"command": "git push --force"}
_SCHEMA: Final = {
    "file_path": "schema.sql",
    "content": "alter table berth add column depth_meters numeric(4, 1) not null default 0;\n",
}
_DIGEST: Final = f"sha256:{'3c9e' * 16}"
_TORN_BYTES: Final = 143


def deploy(shift_ms: int) -> Pen:
    """Write a deployment that was allowed and gave a sign of life; its response was torn while it was written."""
    pen = Pen(PORT, "run-7f3e", "2026-11-29 12:00:01.000", shift_ms)
    pen.user("Deploy the fix for the port clash")
    pen.think("The config says 3000 but the service listens on 4000. I look at the file before I deploy.", 0.9)
    pen.call("toolu_01A2", "Read", 1.1, file_path="config.json")
    pen.answer("toolu_01A2", "Read", 0.1, shown(CONFIG_TEXT))
    pen.call("toolu_01C4", "Edit", 0.8, file_path="config.json", old_string='"port": 3000', new_string='"port": 4000')
    pen.answer("toolu_01C4", "Edit", 0.2, {"error": "no match for old_string in config.json"})
    pen.say("The file already has 4000. Checking the tests before I deploy.", 1.4)
    pen.call("toolu_01M6", "Bash", 0.3, command="npm test")
    pen.answer("toolu_01M6", "Bash", 14.2, terminal("npm test", suite_output()))
    pen.say("Tests pass. Deploying now.", 1.3)
    pen.call("toolu_01Q8", "Bash", 0.404, **_DEPLOY)
    pen.ask("toolu_01Q8", "Bash", "network_send", "network", 0.096, **_DEPLOY)
    pen.allow("toolu_01Q8", 2.4)
    pen.heartbeat("toolu_01Q8", 2.7)
    result = terminal(_DEPLOY["command"], "Deployed harbor 0.4.0 to nordhafen-prod\n")
    pen.tear(pen.answer_event("toolu_01Q8", "Bash", 0.2, result), _TORN_BYTES)
    return pen


def push(shift_ms: int) -> Pen:
    """Write a forced push that waited for a permission which nobody gave."""
    pen = Pen(CLEAN, "run-22c0", "2026-11-28 17:41:02.100", shift_ms)
    pen.user("Squash the two wip commits and push")
    pen.call("toolu_02B1", "Bash", 3.4, **_PUSH)
    pen.ask("toolu_02B1", "Bash", "git_destructive", "git_destructive", 0.1, **_PUSH)
    pen.change_header(status="waiting_for_user")
    return pen


def edit(shift_ms: int) -> Pen:
    """Write an edit that had started, by the operational trace; a later run continues this one all the same."""
    pen = Pen(CONFIG, "run-41d9", "2026-11-26 11:24:40.000", shift_ms)
    pen.trace("run_created", textLength=58, attachmentCount=0)
    pen.trace("run_started")
    pen.user("Move every port that is written in the code to config.json")
    pen.think("Each module has a number of its own. I go through them one by one.", 1.2)
    work(pen, "src/quays", 13)
    pen.say("One number is left: the admin port.", 1.1)
    pen.trace("tool_started", toolName="Edit", toolUseId="toolu_41Z9")
    pen.call("toolu_41Z9", "Edit", 0.7, file_path="config.json", old_string="}", new_string=', "adminPort": 4001 }')
    return pen


def unreadable(shift_ms: int) -> Pen:
    """Write a run with a kind of content that nobody knows."""
    pen = Pen(SCHEDULER, "run-91aa", "2026-11-28 16:01:12.000", shift_ms)
    pen.user("Draw the berth plan of Monday")
    pen.think("The plan is in the store. I read it, then I draw it.", 1.0)
    pen.use("toolu_91A1", "Bash", 2.2, terminal("npm run plan -- --day monday", "q1 4/6\nq2 4/4\nq3 7/9\n"),
            command="npm run plan -- --day monday")  # fmt: skip
    pen.say("Quay 2 is full on Monday. Drawing it.", 1.5)
    pen.tokens(3911, 212)
    unknown = {"kind": "canvas", "width": 640, "height": 200, "shapes": ["q1", "q2", "q3"]}
    drawn = pen.next_event(0.4, "model", "agent", content=unknown)
    told = pen.next_event(1.0, "model", "agent", content={"kind": "text", "text": "This is the plan of Monday."})
    ended = pen.next_event(0.2, "system", "system", status="completed", actions={"endInvocation": True})
    pen.force(drawn, told, ended)
    pen.end_header("completed")
    return pen


def parked(shift_ms: int) -> Pen:
    """Write a run that a later phase looked at after the crash: the target is in no known state, a person decides."""
    pen = Pen(SCHEMA, "run-0b7d", "2026-11-27 09:11:20.000", shift_ms)
    pen.user("Give every berth a depth", actions=PROTOCOL)
    pen.think("The table has no column for it. First I see who reads it.", 1.3)
    work(pen, "src/store", 20, dispatched=True)
    operation = "op-0b7d-z1"
    call = pen.call("toolu_0BZ1", "Write", 1.4, operation, **_SCHEMA)
    dispatch = pen.dispatch("toolu_0BZ1", "Write", operation, 0.1, **_SCHEMA)
    observed = pen.recovery(
        "reconcile_result", "toolu_0BZ1", operation, 64.0,
        protocol="tool_reconcile_v1", observation="diverged",
        observationSchema="state_identity_v1", observationDigest=_DIGEST,
    )  # fmt: skip
    pen.recovery(
        "recovery_decision", "toolu_0BZ1", operation, 0.2,
        protocol="tool_recovery_v1", disposition="parked", reasonCode="reconcile_diverged",
        evidenceEventIds=[call, dispatch, observed],
    )  # fmt: skip
    return pen


def contradictory(shift_ms: int) -> Pen:
    """Write a call that two rows answer, one with success and one with an error."""
    pen = Pen(RELEASE, "run-5e0c", "2026-11-27 08:41:30.000", shift_ms)
    pen.user("Make 0.4.0 of it")
    command = "npm version 0.4.0"
    pen.use("toolu_5E02", "Bash", 1.9, terminal(command, "v0.4.0\n"), command=command)
    again = terminal(command, "npm error Git working directory not clean.\n", 1)
    pen.force(pen.answer_event("toolu_5E02", "Bash", 0.8, again))
    return pen


def not_dispatched(shift_ms: int) -> Pen:
    """Write a call that had not started, by the run's protocol: it has no dispatch fact."""
    pen = Pen(RELEASE, "run-5e11", "2026-11-27 08:50:03.000", shift_ms)
    pen.user("Publish 0.4.0", actions=PROTOCOL)
    pen.call("toolu_5E11", "Bash", 2.6, command="npm publish")
    return pen

"""Seeded events as an agent's runtime writes them: mixed kinds and sizes, tool calls dispatched and answered."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import orjson

Event = dict[str, Any]

_WORDS: Final = (
    "the port of the berth is checked before the tests run and the config names a value that no file has: fix it "
    "deploy service lock retry timeout migrate schema rename module import error trace stdout path branch merge"
)
_POOL_WORDS: Final = 40_000
_WIDE_EVERY: Final = 900
"""So many words stand between two that are no ASCII: one row in ten or so has one."""
_TOOLS: Final = ("Bash", "Read", "Edit", "Write", "Grep", "WebFetch", "mcp__tracker__search")
_TEXT_SIZES: Final = (60, 200, 200, 400, 700, 1_200)
_RESULT_SIZES: Final = (20, 80, 200, 300, 600, 1_000)
_DISPATCH: Final = "t1_after_preflight_v1"


@cache
def _pool() -> str:
    chance = random.Random(0)
    vocabulary = _WORDS.split()
    words = [chance.choice(vocabulary) for _ in range(_POOL_WORDS)]
    words[::_WIDE_EVERY] = ["→ prüfen"] * len(words[::_WIDE_EVERY])
    return " ".join(words)


@dataclass(frozen=True, slots=True)
class RunIds:
    """The ids that every row of a run carries."""

    run: str = "run-1"
    session: str = "sess-1"
    turn: str = "turn-1"
    invocation: str = "inv-1"


@dataclass
class Script:
    """Writes the story of one run, step by step; the same seed gives the same story."""

    seed: int
    ids: RunIds = field(default_factory=RunIds)
    dispatched: bool = True
    """Whether the run says that every dispatch is recorded, as the newer runtimes do."""

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._pool = _pool()
        self._ts = 1_784_365_200_000
        self._call = 0

    def events(self, count: int) -> Iterator[Event]:
        """Yield `count` events; the last call may be left without its response."""
        marker = {"actions": {"runtimeProtocol": {"toolBoundary": _DISPATCH}}} if self.dispatched else {}
        yield self._event("user", "user", content=self._text(200), **marker)
        left = count - 1
        while left > 0:
            for event in self._step():
                yield event
                left -= 1
                if not left:
                    return

    def large_results(self, count: int, size: int) -> Iterator[Event]:
        """Yield `count` results of about `size` bytes, each behind a text and its call, some with token usage."""
        for number in range(count):
            yield self._event("model", "agent", content=self._text(self._random.choice(_TEXT_SIZES)))
            call_id, name, args = self._new_call()
            content = {"kind": "function_call", "id": call_id, "name": name, "args": args}
            yield self._event("model", "agent", content=content, refs={"toolCallId": call_id})
            yield self._response(call_id, name, size)
            if number % 5 < 2:
                yield self._event("system", "system", actions={"tokenUsage": {"input": 1_234, "output": 55}})

    def _step(self) -> Iterator[Event]:
        chance = self._random.random()
        if chance < 0.04:
            yield self._event("user", "user", content=self._text(self._random.choice(_TEXT_SIZES)))
        yield self._event("model", "agent", content=self._thinking(self._random.choice(_TEXT_SIZES)))
        if chance < 0.6:
            yield self._event("model", "agent", content=self._text(self._random.choice(_TEXT_SIZES)))
        if chance < 0.75:
            yield from self._round(1 if chance < 0.55 else self._random.randrange(2, 5))
        usage = {"input": self._random.randrange(200_000), "output": self._random.randrange(4_000), "costUsd": 0.0131}
        yield self._event("system", "system", actions={"tokenUsage": usage})

    def _round(self, width: int) -> Iterator[Event]:
        """Yield calls made together, each with its dispatch and response, the responses in any order."""
        calls = [self._new_call() for _ in range(width)]
        for call_id, name, args in calls:
            content = {"kind": "function_call", "id": call_id, "name": name, "args": args}
            yield self._event("model", "agent", content=content, refs={"toolCallId": call_id})
        for call_id, name, args in calls:
            if self._random.random() < 0.1:
                yield from self._permission(call_id, name, args)
            if self.dispatched:
                yield self._dispatch(call_id, name, args)
        self._random.shuffle(calls)
        for call_id, name, _ in calls:
            yield self._response(call_id, name, self._random.choice(_RESULT_SIZES))

    def _new_call(self) -> tuple[str, str, Event]:
        self._call += 1
        name = self._random.choice(_TOOLS)
        call_id = f"toolu_{self._random.getrandbits(120):024x}"
        args = {"command": self._words(self._random.choice((20, 60, 200))), "timeout": 120_000, "background": False}
        return call_id, name, args

    def _permission(self, call_id: str, name: str, args: Event) -> Iterator[Event]:
        request = {
            "kind": "tool_permission",
            "requestId": f"p-{self._call}-{call_id[-6:]}",
            "toolUseId": call_id,
            "toolName": name,
            "category": "shell_unsafe",
            "reason": "shell_dangerous",
            "args": args,
            "rememberForTurnAllowed": True,
        }
        refs = {"toolCallId": call_id}
        yield self._event("system", "system", actions={"permissionRequest": request}, refs=refs)
        decision = {"requestId": request["requestId"], "decision": "allow", "reviewer": "user"}
        yield self._event("system", "user", actions={"permissionDecision": decision}, refs=refs)

    def _dispatch(self, call_id: str, name: str, args: Event) -> Event:
        identity = orjson.dumps({"args": args, "toolName": name}, option=orjson.OPT_SORT_KEYS)
        fact = {
            "protocol": _DISPATCH,
            "operationId": f"op-{call_id}",
            "providerToolCallId": call_id,
            "toolName": name,
            "canonicalArgsHash": f"sha256:{hashlib.sha256(identity).hexdigest()}",
            "recoveryMode": "never_auto_retry",
        }
        refs = {"operationId": f"op-{call_id}", "toolCallId": call_id}
        return self._event("system", "system", actions={"toolDispatch": fact}, refs=refs)

    def _response(self, call_id: str, name: str, size: int) -> Event:
        result = {"kind": "terminal", "status": "completed", "exitCode": 0, "output": {"stdout": self._words(size)}}
        failed = {"isError": True} if self._random.random() < 0.03 else {}
        refs = {"toolCallId": call_id} | ({"operationId": f"op-{call_id}"} if self.dispatched else {})
        return self._event(
            "tool",
            "tool",
            content={"kind": "function_response", "id": call_id, "name": name, "result": result, **failed},
            actions={"stateDelta": {"durationMs": self._random.randrange(40_000)}},
            refs=refs,
        )

    def _text(self, size: int) -> Event:
        return {"kind": "text", "text": self._words(size)}

    def _thinking(self, size: int) -> Event:
        return {"kind": "thinking", "text": self._words(size)}

    def _words(self, size: int) -> str:
        start = self._random.randrange(max(1, len(self._pool) - size))
        return self._pool[start : start + size]

    def _event(self, role: str, author: str, **parts: Any) -> Event:
        self._ts += self._random.randrange(10, 3_000)
        name = f"{self._random.getrandbits(128):032x}"
        return {
            "id": f"{name[:8]}-{name[8:12]}-{name[12:16]}-{name[16:20]}-{name[20:]}",
            "invocationId": self.ids.invocation,
            "runId": self.ids.run,
            "sessionId": self.ids.session,
            "turnId": self.ids.turn,
            "ts": self._ts,
            "partial": False,
            "role": role,
            "author": author,
            **parts,
        }

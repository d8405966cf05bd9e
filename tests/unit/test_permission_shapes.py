"""Closed shapes of permissions: profiles, paths, ids."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.records import accepts_event, action

LONG = f"/{'a' * 3000}"


@pytest.mark.parametrize(
    ("path", "good"),
    [
        ("/a", True),
        ("/a/b c", True),
        ("/", False),
        ("/a/", False),
        ("/a//b", False),
        ("/a/./b", False),
        ("/a/..", False),
        ("a", False),
        ("", False),
        ("/a\0", False),
        ("/a\\b", False),
        ("/" + "é" * 4095, True),
        ("/" + "é" * 4096, False),
        ("/" + "\U0001f600" * 2048, False),
        ("C:\\", True),
        ("c:\\a\\b", True),
        ("C:\\a\\", False),
        ("C:\\a/b", False),
        ("C:\\a:b", False),
        ("C:\\..\\b", False),
        ("C:", False),
        ("C:a", False),
        ("CC:\\a", False),
    ],
)
def test_permission_paths_are_absolute_and_plain(path: str, good: bool) -> None:
    """A path that is asked for is absolute, of one system's spelling, with nothing to resolve."""
    assert accepts_event(action("permissionRequest", profile_request([entry(path)]))) is good


def entry(path: str, access: str = "read", scope: str = "exact") -> dict[str, str]:
    """Return one path that is asked for."""
    return {"path": path, "access": access, "scope": scope}


def profile_request(entries: list[dict[str, str]] | None, **profile: object) -> dict[str, Any]:
    """Return a request for additional permissions."""
    files: dict[str, object] = {} if entries is None else {"fileSystem": {"entries": entries}}
    return {
        "kind": "additional_permissions",
        "requestId": "r",
        "toolUseId": "c",
        "toolName": "Write",
        "category": "client_capability",
        "reason": "additional_permissions",
        "additionalPermissions": files | profile,
        "cwd": "/w",
        "justification": "",
        "intentHash": "",
        "permissionsHash": "",
        "risk": {"outsideWorkspace": False, "protectedMetadata": False, "networkEnabled": False},
        "alsoApprovesToolExecution": False,
        "availableDecisions": ["allow_once", "deny"],
    }


@pytest.mark.parametrize(
    ("request_", "good"),
    [
        (profile_request(None), False),
        (profile_request([]), False),
        (profile_request([], network={"enabled": True}), True),
        (profile_request(None, network={"enabled": True}), True),
        (profile_request(None, network={"enabled": False}), False),
        (profile_request(None, network={}), False),
        (profile_request([entry(f"/{i}") for i in range(32)]), True),
        (profile_request([entry(f"/{i}") for i in range(33)]), False),
        (profile_request([entry(f"/{i:02}{'é' * 1010}") for i in range(32)]), False),
        (profile_request([entry(f"/{'a' * 3000}/{i}") for i in range(32)]), False),
        (profile_request([entry(LONG, "write", "subtree"), *(entry(f"{LONG}/{i}") for i in range(31))]), True),
        (profile_request([entry(LONG, "read", "subtree"), *(entry(f"{LONG}/{i}", "write") for i in range(31))]), False),
        (profile_request([entry("/a", "write", "exact"), entry("/a/b")]), True),
        (profile_request([entry("/a", "execute")]), False),
        (profile_request([entry("/a")]) | {"availableDecisions": ["deny", "allow_once"]}, False),
        (profile_request([entry("/a")]) | {"availableDecisions": ["allow_once"]}, False),
        (profile_request([entry("/a")]) | {"category": "pets"}, False),
    ],
)
def test_a_profile_asks_for_something_and_not_too_much(request_: dict[str, Any], good: bool) -> None:
    """A profile has a path or the network; without the paths that others cover its text has at most 65536 bytes."""
    assert accepts_event(action("permissionRequest", request_)) is good


@pytest.mark.parametrize(
    ("entries", "good"),
    [
        ([entry("C:\\A", "read", "subtree"), *(entry(f"c:\\a\\{i}{'x' * 3000}") for i in range(31))], True),
        ([entry("/A", "read", "subtree"), *(entry(f"/a/{i}{'x' * 3000}") for i in range(31))], False),
        ([entry("C:\\", "read", "subtree"), *(entry(f"C:\\{i}{'x' * 3000}") for i in range(31))], True),
    ],
)
def test_windows_paths_are_covered_whatever_their_case(entries: list[dict[str, str]], good: bool) -> None:
    """A broader Windows entry covers paths in another case; a POSIX one does not."""
    assert accepts_event(action("permissionRequest", profile_request(entries))) is good


@pytest.mark.parametrize("name", ["permissionAnswerAccepted", "userQuestionAnswerAccepted"])
@pytest.mark.parametrize(
    ("request_id", "good"),
    [("q", True), ("", False), ("é" * 128, True), ("é" * 129, False), ("\ud800" * 85, True), ("\ud800" * 86, False)],
)
def test_ids_of_requests_have_a_length_in_bytes(name: str, request_id: str, good: bool) -> None:
    """The id of an answered request has 1 to 256 bytes, half a pair counting 3."""
    assert accepts_event(action(name, {"requestId": request_id})) is good


@pytest.mark.parametrize(("name", "good"), [("Bash", True), ("", False), ("é" * 129, False)])
def test_decisions_may_name_their_tool(name: str, good: bool) -> None:
    """A decision's tool has a name of 1 to 256 bytes."""
    assert accepts_event(action("permissionDecision", {"requestId": "", "decision": "allow", "toolName": name})) is good

"""Runs a coroutine of a test, with no plugin."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run one coroutine in a loop of its own."""
    return asyncio.run(coroutine)

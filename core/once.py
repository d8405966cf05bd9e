"""A property that is computed when it is first asked for, and kept."""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING or sys.version_info >= (3, 12):
    once = cached_property
else:

    class once(cached_property):  # noqa: N801  as the one it stands for
        """`cached_property` as it is from Python 3.12 on: without a lock, which took longer than most of them.

        Threads that ask at the same time may compute it twice; the last answer is kept.
        """

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            name = self.attrname
            values = instance.__dict__
            if name not in values:
                values[name] = self.func(instance)
            return values[name]

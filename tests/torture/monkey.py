"""A monkey at the keyboard: seeded keys of the command table, words, mouse, sizes and colours, in any order."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from random import Random
from typing import Any, Final

from textual import events
from textual.pilot import Pilot

from viewer.commands import COMMANDS
from viewer.themes import THEMES

LEAVING: Final = ("ctrl+q", "ctrl+c")
KEYS: Final = (
    *sorted({key for command in COMMANDS for key in command.keys} - {*LEAVING, "ctrl+z", "q"}),
    *("backspace", "delete", "shift+end", "ctrl+a", "ctrl+v", "ctrl+k", "f5", "alt+x"),
)
"""`q` is pressed too, but more rarely: on the first screen it leaves."""
WORDS: Final = (
    *("e", "npm", "kind:call !tool:Bash", "verdict:parked", "text:\x1b[31m", "[/bold]", '"', "tool:", "9" * 20),
    *("12:00", "-1", "1,5", "e11", "\u202e表示", "(" * 30, "x" * 300, "~/nowhere", "report", "run"),
)
"""What is typed at once; control characters come as a paste would bring them."""
SIZES: Final = (
    (1, 1),
    (1, 200),
    (400, 1),
    (2, 2),
    (10, 3),
    (20, 6),
    (44, 14),
    (80, 24),
    (120, 36),
    (160, 50),
    (400, 200),
)

Move = Callable[[Random, Pilot[Any]], Awaitable[str]]
"""Does something and says what."""


async def press(rng: Random, pilot: Pilot[Any]) -> str:
    """Press a key or a few, at leisure or at once."""
    keys = ["q" if rng.random() < 0.02 else rng.choice(KEYS) for _ in range(rng.choice((1, 1, 1, 3)))]
    if rng.random() < 0.3:
        await pilot.press(*keys)
    else:
        # As fast as a terminal may send them: nothing waits for what the key before does.
        for key in keys:
            pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
    return " ".join(keys)


async def type_words(rng: Random, pilot: Pilot[Any]) -> str:
    """Type or paste words, mostly into a field; often take them."""
    opener = rng.choice(("slash", "f", "S", "x", "ctrl+p", "ctrl+s", "question_mark", ""))
    if opener:
        await pilot.press(opener)
        await pilot.pause()
    words = rng.choice(WORDS)
    if len(words) > 8 or not words.isprintable():
        pilot.app.post_message(events.Paste(words))
    else:
        for letter in words:
            pilot.app.post_message(events.Key(letter, letter))
    await pilot.pause()
    if rng.random() < 0.7:
        await pilot.press("enter")
    return f"{opener} {words!r}"


async def point(rng: Random, pilot: Pilot[Any]) -> str:
    """Move the mouse, click, drag or scroll somewhere, in or just outside of the screen, as a terminal tells it."""
    app = pilot.app
    x, y = rng.randrange(-1, app.size.width + 2), rng.randrange(-1, app.size.height + 2)
    kind = rng.choice(("move", "click", "click", "double", "drag", "down", "up", "left", "right"))
    kinds: dict[str, tuple[type[events.MouseEvent], ...]] = {
        "move": (),
        "click": (events.MouseDown, events.MouseUp),
        "double": (events.MouseDown, events.MouseUp) * 2,
        "drag": (events.MouseDown, events.MouseMove, events.MouseMove, events.MouseUp),
        "down": (events.MouseScrollDown,) * 3,
        "up": (events.MouseScrollUp,) * 3,
        "left": (events.MouseScrollLeft,) * 3,
        "right": (events.MouseScrollRight,) * 3,
    }
    button = rng.choice((1, 1, 1, 2, 3))
    for made in (events.MouseMove, *kinds[kind]):
        if kind == "drag":
            x, y = x + rng.randrange(-9, 10), y + rng.randrange(-5, 6)
        app.post_message(made(None, x, y, 0, 0, button, *rng.choices((False, True), (9, 1), k=3)))
    return f"{kind} at {x},{y}"


async def resize(rng: Random, pilot: Pilot[Any]) -> str:
    """Give the terminal another size, now and then several in a row."""
    sizes = [
        rng.choice(SIZES) if rng.random() < 0.6 else (rng.randint(1, 400), rng.randint(1, 200))
        for _ in range(rng.choice((1, 1, 4)))
    ]
    for size in sizes:
        await pilot.resize_terminal(*size)
    if max(sizes[-1]) > 160 and rng.random() < 0.8:
        # Nobody stays long at so large a size, where every step takes long.
        await pilot.resize_terminal(120, 36)
    return f"sizes {sizes}"


async def recolour(rng: Random, pilot: Pilot[Any]) -> str:
    """Change the colours."""
    pilot.app.theme = rng.choice(THEMES).name
    return f"theme {pilot.app.theme}"


async def wait(rng: Random, pilot: Pilot[Any]) -> str:
    """Give threads and timers a while."""
    await pilot.pause(rng.choice((0.01, 0.05, 0.3)))
    return "wait"


MOVES: Final[tuple[tuple[Move, float], ...]] = (
    (press, 60), (type_words, 7), (point, 20), (resize, 6), (recolour, 2), (wait, 4),
)  # fmt: skip
"""Each with how often it is made."""


async def make_move(rng: Random, pilot: Pilot[Any]) -> str:
    """Make one move and say which."""
    (move,) = rng.choices([move for move, _ in MOVES], [weight for _, weight in MOVES])
    return await move(rng, pilot)

"""The colours: a dark and a light theme, and one of the terminal's own sixteen colours.

Hue is meaning, brightness is importance. Red is for doubt alone. Screens and styles name colours by the variables of
`PALETTE` and by nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from textual.theme import Theme

DARK: Final = "ledger-dark"
LIGHT: Final = "ledger-light"
TERMINAL: Final = "ledger-terminal"

_NAMES: Final = (
    *("ground", "bar", "cursor", "idle", "rule", "strip", "ink", "muted"),
    *("accent", "doubt", "on-doubt", "evidence", "settled", "live"),
)
_NIGHT: Final = (
    *("#15181d", "#1d2128", "#2b333e", "#20262e", "#3d4550", "#77818d", "#d9dde3", "#99a2ae"),
    *("#9fb6de", "#ff7b76", "#1d0c0c", "#d9a650", "#86b892", "#74b8c6"),
)
_PAPER: Final = (
    *("#fbfaf7", "#f0eee8", "#dfe3e8", "#eeedea", "#c4c0b6", "#8b919a", "#22262b", "#5a616b"),
    *("#2f528f", "#b3161f", "#ffffff", "#855300", "#2c6a42", "#0f6576"),
)
_SIXTEEN: Final = (
    *(["ansi_default"] * 8),
    *("ansi_default", "ansi_red", "ansi_default", "ansi_default", "ansi_default", "ansi_default"),
)

PALETTE: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        name: MappingProxyType(dict(zip(_NAMES, colours, strict=True)))
        for name, colours in ((DARK, _NIGHT), (LIGHT, _PAPER), (TERMINAL, _SIXTEEN))
    }
)
"""Theme -> variable (without the dollar sign) -> colour."""

TEXT_COLOURS: Final = ("ink", "muted", "accent", "doubt", "evidence", "settled", "live")
BACKGROUNDS: Final = ("ground", "bar", "cursor", "idle")


def _theme(name: str, *, dark: bool) -> Theme:
    own = dict(PALETTE[name])
    ansi = name == TERMINAL
    return Theme(
        name,
        primary=own["accent"],
        secondary=own["accent"],
        accent=own["accent"],
        error=own["doubt"],
        warning=own["evidence"],
        success=own["settled"],
        foreground=own["ink"],
        background=own["ground"],
        surface=own["ground"],
        panel=own["bar"],
        boost=own["bar"],
        dark=dark,
        ansi=ansi,
        variables={
            **own,
            # The sixteen colours cannot be trusted to differ from the ground, nor exist without colour: reverse does.
            "cursor-text-style": "reverse" if ansi else "none",
            "pill-text-style": "bold reverse" if ansi else "bold",
            "pill-foreground": own["doubt"] if ansi else own["on-doubt"],
            "pill-background": own["ground"] if ansi else own["doubt"],
            "block-cursor-background": own["cursor"],
            "block-cursor-foreground": own["ink"],
            "block-cursor-text-style": "reverse" if ansi else "none",
            "block-cursor-blurred-background": own["idle"],
            "block-cursor-blurred-foreground": own["ink"],
            "block-cursor-blurred-text-style": "none",
            "block-hover-background": own["idle"],
            "ansi-background": "ansi_black" if ansi else own["ground"],
            "ansi-foreground": "ansi_white" if ansi else own["ink"],
            "border": own["rule"],
            "border-blurred": own["rule"],
            "scrollbar": own["rule"],
            "scrollbar-hover": own["strip"],
            "scrollbar-active": own["strip"],
            "scrollbar-background": own["ground"],
            "scrollbar-background-hover": own["ground"],
            "scrollbar-background-active": own["ground"],
            "scrollbar-corner-color": own["ground"],
            "text-muted": own["muted"],
            "text-disabled": own["muted"],
            "input-selection-background": own["cursor"],
            "input-selection-foreground": own["ink"],
        },
    )


THEMES: Final = (_theme(DARK, dark=True), _theme(LIGHT, dark=False), _theme(TERMINAL, dark=True))

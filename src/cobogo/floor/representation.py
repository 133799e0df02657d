"""What objects show of themselves: what they are and how large, never a value of the data that they hold.

A notebook prints whatever stands last in a cell, and is kept and shared. So an object that holds data has one of these
as its ``repr``, and objects that only others hold have none but Python's own (``repr=False``).
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

LONGEST = 400
"""Characters of a representation."""

Tile = tuple[str, str, str]
"""A figure: its name, the figure, and what it means."""


def brief(kind: object, *parts: str | None) -> str:
    """A representation on one line.

    >>> brief(3, "of a kind", None, "and short")
    'int(of a kind, and short)'
    """
    text = f"{type(kind).__name__}({', '.join(part for part in parts if part)})"
    return text if len(text) <= LONGEST else text[: LONGEST - 2] + "…)"


def tiles(title: str, figures: Sequence[Tile], notes: Sequence[str] = ()) -> str:
    """Figures as HTML for a notebook: no styles of anybody else's, no scripts, readable on light and dark."""
    cells = "".join(
        '<div style="border:1px solid #8886;border-radius:6px;padding:.5em .8em;min-width:7em">'
        f'<div style="opacity:.75">{escape(name)}</div><div style="font-size:1.4em">{escape(value)}</div>'
        f'<div style="opacity:.75;max-width:16em">{escape(why)}</div></div>'
        for name, value, why in figures
    )
    below = "".join(f"<div>{escape(note)}</div>" for note in notes)
    row = f'<div style="display:flex;flex-wrap:wrap;gap:.6em;margin:.4em 0">{cells}</div>'
    return f"<div><strong>{escape(title)}</strong>{row}{below}</div>"


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> str:
    """A table as HTML for a notebook, which gives it its style."""
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    below = "".join(f"<div>{escape(note)}</div>" for note in notes)
    grid = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div><strong>{escape(title)}</strong>{grid}{below}</div>"

"""How the values of a column lie, drawn small from counts: sensitive ones when asked for, identifiers never."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from cobogo.faces.workbench.session import Session

WIDTH, HEIGHT = 132, 30


class Shape:
    """A column's cell: bars, and behind a click what they stand for."""

    def __init__(self, session: Session, profile: dict[str, Any]) -> None:
        self.session, self.profile = session, profile
        self.asked = False
        self.drawn: tuple[str, bool] | None = None
        self.place = ui.row().classes("items-center gap-0 no-wrap")

    def draw(self, role: str) -> None:
        """What may be seen of a column with a role."""
        shape, say = self.profile["shape"], self.session.say
        if self.drawn == (role, self.asked):
            return
        self.drawn = (role, self.asked)
        self.place.clear()
        with self.place:
            if role == "identifier" or shape is None:
                ui.label("–").classes("text-caption")
            elif role == "sensitive" and not self.asked:
                ui.button(say("columns.show"), icon="visibility", on_click=lambda: self._ask(role)).props(
                    "flat dense no-caps size=sm"
                )
            else:
                label = say("columns.distribution", name=self.profile["column"])
                with ui.button(on_click=self._told).props("flat dense no-caps padding=none") as button:
                    ui.html(drawn(shape, self.profile["missing"]), sanitize=False)
                button._props["aria-label"] = label
                button.tooltip(label)

    def _ask(self, role: str) -> None:
        self.asked = True
        self.draw(role)

    def _told(self) -> None:
        shape, records = self.profile["shape"], self.profile["records"]
        number, percent = self.session.number, self.session.percent
        with ui.dialog() as dialog, ui.card().style("min-width: 26rem"):
            ui.label(self.session.say("columns.distribution", name=self.profile["column"])).classes("text-subtitle1")
            if "bars" in shape:
                ui.html(drawn(shape, 0, 3), sanitize=False)
                ends = {"first": shape["first"], "last": shape["last"]}
                ui.label(self.session.say("columns.range", **ends)).classes("text-caption")
            else:
                rest = [(self.session.say("columns.others"), shape["other"])] if shape["other"] else []
                missing = (
                    [(self.session.say("columns.none"), self.profile["missing"])] if self.profile["missing"] else []
                )
                for label, count in [*shape["top"], *rest, *missing]:
                    with ui.row().classes("w-full items-center no-wrap"):
                        ui.label(label).classes("text-caption ellipsis").style("width: 10rem")
                        ui.linear_progress(count / records, show_value=False).props("rounded").style("width: 8rem")
                        ui.label(f"{number(count)} ({percent(count / records)})").classes("text-caption")
            ui.button("OK", on_click=dialog.close).props("flat")
        dialog.on("hide", dialog.delete)
        dialog.open()


def drawn(shape: dict[str, Any], missing: int, scale: int = 1) -> str:
    """Bars as SVG: of numbers and dates in their order, of categories from the most frequent down, NULL in grey.

    >>> drawn({"top": [["a", 3], ["b", 1]], "other": 0}, 0).count("<rect")
    2
    """
    heights = shape["bars"] if "bars" in shape else [count for _, count in shape["top"]] + [shape["other"]]
    bars = [(height, "var(--q-primary)") for height in heights if height or "bars" in shape]
    bars += [(missing, "#8889")] if missing else []
    most, width = max((height for height, _ in bars), default=1) or 1, WIDTH * scale / max(len(bars), 6)
    rects = "".join(
        f'<rect x="{at * width:.1f}" y="{HEIGHT * scale * (1 - height / most):.1f}" width="{width - 1:.1f}" '
        f'height="{HEIGHT * scale * height / most:.1f}" fill="{colour}"/>'
        for at, (height, colour) in enumerate(bars)
    )
    return f'<svg width="{WIDTH * scale}" height="{HEIGHT * scale}" aria-hidden="true">{rects}</svg>'

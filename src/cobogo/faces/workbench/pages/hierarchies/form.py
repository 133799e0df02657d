"""The kinds of hierarchy, where each begins for a column, and the form of its fields."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date
from typing import Any, Literal

from nicegui import ui

from cobogo.data.hierarchy.codes import unknown_codes
from cobogo.data.policy import BUILDERS
from cobogo.data.schema.profile import DATE_FORMATS, guess_date_format
from cobogo.faces.workbench.labels import CHOICE
from cobogo.faces.workbench.session import PageSession
from cobogo.floor.language import tr
from cobogo.release.dictionary import date_words

FIELD = {
    "intervals": tr("Width of the intervals"),
    "bottom-code": tr("Below this: one group (bottom code)"),
    "top-code": tr("From this value on: one group (top code)"),
    "origin": tr("Intervals begin at"),
    "lower": tr("Lowest number allowed"),
    "upper": tr("Highest number allowed"),
    "open-ends": tr("Numbers outside the bounds fall into open intervals"),
    "decimal": tr("Decimal mark"),
    "top": tr("A last level * (any value)"),
    "dates": tr("Format of the dates"),
    "levels": tr("More general formats"),
    "age": tr("Format of the dates of birth"),
    "at": tr("The day on which ages are counted (2024-12-31)"),
    "widths": tr("Width of the bands, in years"),
    "quantiles": tr("Bands with equal shares"),
    "domain": tr("The least number, where shares change, and the greatest number"),
    "shares": tr("Share of the population in each part of the domain"),
    "decimals": tr("Decimals of the numbers"),
    "codes": tr("Classification"),
    "labels": tr("Label of each code (1 = Male)"),
    "mask": tr("Which characters to mask first"),
    "keep": tr("Characters that are never masked"),
    "character": tr("Masking character (*)"),
    "path": tr("What separates the parts"),
    "lenient": tr("Values of another form stay as they are"),
    "ordering": tr("Categories in their order"),
    "steps": tr("Neighbours in a group"),
    "csv": tr("File"),
    "separator": tr("Separator"),
    "encoding": tr("Encoding"),
}

HIERARCHIES = {
    "more": tr("One more level"),
    "less": tr("One level less"),
}

Field = Literal[
    "number", "whole", "numbers", "flag", "text", "choice", "format", "formats", "lines", "figures", "pairs", "file"
]

NONE = "none"
FIELDS: Mapping[str, Mapping[str, Field]] = {
    NONE: {},
    "intervals": {
        "intervals": "numbers",
        "bottom-code": "number",
        "top-code": "number",
        "origin": "number",
        "lower": "number",
        "upper": "number",
        "open-ends": "flag",
        "decimal": "choice",
        "top": "flag",
    },
    "dates": {"dates": "format", "levels": "formats", "lenient": "flag", "top": "flag"},
    "age": {"age": "format", "at": "text", "widths": "numbers", "top-code": "number", "top": "flag"},
    "quantiles": {
        "quantiles": "figures",
        "domain": "figures",
        "shares": "figures",
        "decimals": "whole",
        "top": "flag",
    },
    "codes": {"codes": "choice", "lenient": "flag", "top": "flag"},
    "mask": {"mask": "choice", "keep": "whole", "character": "text", "top": "flag"},
    "path": {"path": "text", "lenient": "flag", "top": "flag"},
    "ordering": {"ordering": "lines", "steps": "numbers", "top": "flag"},
    "tree": {"top": "flag"},
    "labels": {"labels": "pairs", "top": "flag"},
    "csv": {"csv": "file", "separator": "choice", "encoding": "choice", "top": "flag"},
}
"""What is asked for of each kind, in the order of the form. A test sees to it that no key of a policy is missing."""

CHOICES: Mapping[str, Sequence[str]] = {
    "decimal": (".", ","),
    "mask": ("right", "left"),
    "codes": ("municipality", "cep", "icd-10"),
    "separator": (",", ";", "\t", "|"),
    "encoding": ("utf-8", "latin-1"),
}
FORMATS = tuple(DATE_FORMATS)
COARSER = (
    "%Y-%m-%d", "%d/%m/%Y", "week", "%Y-%m", "%m/%Y", "quarter", "%Y", "5-years", "decade", "%B %Y", "%H:%M", "%H",
)  # fmt: skip
BY_HAND = ("tree", "csv")
"""Kinds whose groups can be edited."""

LARGE = 300
"""Values above which groups are kept in a file rather than in the policy."""


def kind_of(spec: Mapping[str, Any] | None) -> str:
    """Which kind a policy asks for.

    >>> kind_of({"mask": "right"}), kind_of(None)
    ('mask', 'none')
    """
    return next((kind for kind in BUILDERS if spec and kind in spec), NONE)


def start(
    kind: str, suggested: Mapping[str, Any] | None, values: Sequence[str | None], *, group: str = "?"
) -> dict[str, Any] | None:
    """The specification that a form of this kind begins with: the suggested one if it is of the kind, else one that
    fits the values.

    ``values`` are the most frequent ones, the first the most; ``group`` is what a first group is called. None: there is
    nothing to begin with.

    >>> start("path", None, ["a>b", "c>b"])
    {'path': '>', 'top': True}
    """
    if suggested and kind_of(suggested) == kind:
        return dict(suggested)
    texts = [value for value in values if value is not None]
    match kind:
        case "intervals":
            return {"intervals": _widths(texts), "top": True}
        case "dates":
            return {"dates": FORMATS[0], "levels": ["%Y", "5-years", "decade"], "top": True}
        case "age":
            form = guess_date_format(texts) or FORMATS[0]
            return {"age": form, "at": date.today().isoformat(), "widths": [5, 10, 20], "top": True}
        case "quantiles":
            return {"quantiles": [8, 4, 2], "domain": [0, 100], "top": True}
        case "codes":
            fitting = [name for name in CHOICES["codes"] if texts and not unknown_codes(name, texts)]
            return {"codes": fitting[0] if fitting else "municipality", "top": True}
        case "labels":
            return {"labels": {text: text for text in sort_values(texts)}, "top": True} if texts else None
        case "mask":
            return {"mask": "right", "keep": 1, "top": True}
        case "path":
            found = [mark for mark in ("/", ">", "|", ";", ",", "-") if texts and all(mark in text for text in texts)]
            return {"path": found[0] if found else "/", "top": True}
        case "ordering":
            return {"ordering": sort_values(texts) or [group], "steps": [2], "top": True}
        case "tree":
            return {"tree": {group: sort_values(texts)}, "top": True} if texts else None
        case _:
            return None


def sort_values(texts: Sequence[str]) -> list[str]:
    """Values in the order of their numbers where they begin with one, else of the alphabet.

    >>> sort_values(["10 years", "9 years", "none"])
    ['9 years', '10 years', 'none']
    """

    def key(text: str) -> tuple[float, str]:
        found = re.match(r"\s*-?[0-9]+", text)
        return (float(found[0]) if found else float("inf"), text.casefold())

    return sorted(texts, key=key)


def _widths(texts: Sequence[str]) -> list[float]:
    numbers = [float(text.replace(",", ".")) for text in texts if re.fullmatch(r"-?[0-9]{1,12}([.,][0-9]{1,6})?", text)]
    spread = max(numbers) - min(numbers) if numbers else 0
    step = 10 ** max(len(str(int(spread))) - 2, 0)
    return [5 * step, 10 * step, 20 * step]


WAIT = "debounce=500"
OPTION = """<q-item v-bind="props.itemProps"><q-item-section><q-item-label>{{ props.opt.label }}</q-item-label>
  <q-item-label caption>{{ (%s)[props.opt.label] }}</q-item-label></q-item-section></q-item>"""
"""A format in a list, and what it means."""
RARE = ("origin", "lower", "upper", "open-ends", "decimal")
"""Fields that few columns need."""
REQUIRED = (
    "intervals", "dates", "levels", "age", "at", "widths", "quantiles", "domain", "codes", "labels",
    "mask", "path", "ordering", "steps", "csv", "tree",
)  # fmt: skip


class HierarchyForm:
    """The fields of one kind of hierarchy; every change submits the whole specification."""

    def __init__(
        self,
        session: PageSession,
        kind: str,
        spec: dict[str, Any],
        changed: Callable[[dict[str, Any]], Awaitable[None]],
        files: Sequence[str],
    ) -> None:
        self.session, self.spec, self.changed, self.files = session, dict(spec), changed, files
        for key, field in FIELDS[kind].items():
            if key not in RARE:
                getattr(self, f"_{field}")(key)
        rare = [key for key in RARE if key in FIELDS[kind]]
        if rare:
            said = any(key in spec for key in rare)
            with ui.expansion(session.say("Bounds, origin, decimal mark"), value=said).classes("w-full").props("dense"):
                for key in rare:
                    getattr(self, f"_{FIELDS[kind][key]}")(key)

    async def _put(self, key: str, value: Any) -> None:
        empty = value is None or value in ("", [], {}, False)
        if empty and key in REQUIRED:
            return
        if empty:
            self.spec.pop(key, None)
        else:
            self.spec[key] = value
        await self.changed(dict(self.spec))

    def _label(self, key: str) -> str:
        return self.session.say(FIELD[key])

    def _number(self, key: str) -> None:
        async def take(event: Any) -> None:
            await self._put(key, None if event.value is None else _shortest(event.value))

        ui.number(self._label(key), value=self.spec.get(key), on_change=take).props(
            f"dense outlined clearable {WAIT}"
        ).classes("w-full")

    def _whole(self, key: str) -> None:
        async def take(event: Any) -> None:
            await self._put(key, None if event.value is None else int(event.value))

        ui.number(self._label(key), value=self.spec.get(key, 0), min=0, precision=0, on_change=take).props(
            f"dense outlined {WAIT}"
        ).classes("w-full")

    def _flag(self, key: str) -> None:
        async def take(event: Any) -> None:
            await self._put(key, bool(event.value))

        ui.switch(self._label(key), value=bool(self.spec.get(key)), on_change=take)

    def _text(self, key: str) -> None:
        async def take(event: Any) -> None:
            await self._put(key, event.value)

        most = "maxlength=1" if key == "character" else "maxlength=20"
        ui.input(self._label(key), value=self.spec.get(key, ""), on_change=take).props(
            f"dense outlined {WAIT} {most}"
        ).classes("w-full")

    def _choice(self, key: str) -> None:
        async def take(event: Any) -> None:
            await self._put(key, event.value)

        named: dict[str | None, str] = {} if key in REQUIRED else {None: self.session.say("As in the data")}
        named |= {one: self.session.say(CHOICE[one]) for one in CHOICES[key]}
        ui.select(named, value=self.spec.get(key), label=self._label(key), on_change=take).props(
            "dense outlined"
        ).classes("w-full")

    def _format(self, key: str) -> None:
        async def take(event: Any) -> None:
            await self._put(key, event.value)

        self._pick_format(self.spec.get(key), FORMATS, self._label(key), take)
        ui.label(
            self.session.say("%d day, %m month, %Y year, %H hour, %M minute. Type another format and press Enter.")
        ).classes("text-caption")

    def _file(self, key: str) -> None:
        async def take(event: Any) -> None:
            await self._put(key, event.value)

        known = list(dict.fromkeys([*self.files, *([self.spec[key]] if key in self.spec else [])]))
        ui.select(known, value=self.spec.get(key), label=self._label(key), on_change=take).props(
            "dense outlined"
        ).classes("w-full")

    def _lines(self, key: str) -> None:
        async def take(event: Any) -> None:
            await self._put(key, [line for line in (event.value or "").splitlines() if line])

        ui.textarea(self._label(key), value="\n".join(map(str, self.spec.get(key, []))), on_change=take).props(
            f"outlined {WAIT} input-style='height: 11rem'"
        ).classes("w-full")

    def _figures(self, key: str) -> None:
        """Numbers in one line, with blanks or semicolons between them."""

        async def take(event: Any) -> None:
            with contextlib.suppress(ValueError):  # until the last number is complete
                await self._put(key, [_shortest(float(word)) for word in re.split("[; ]+", event.value or "") if word])

        ui.input(self._label(key), value="; ".join(map(str, self.spec.get(key, []))), on_change=take).props(
            f"dense outlined {WAIT}"
        ).classes("w-full")

    def _pairs(self, key: str) -> None:
        """One line for each code: the code, =, its label."""

        async def take(event: Any) -> None:
            lines = (line.partition("=") for line in (event.value or "").splitlines())
            await self._put(key, {code.strip(): label.strip() for code, _, label in lines if label.strip()})

        said = "\n".join(f"{code} = {label}" for code, label in self.spec.get(key, {}).items())
        ui.textarea(self._label(key), value=said, on_change=take).props(
            f"outlined {WAIT} input-style='height: 11rem'"
        ).classes("w-full")

    def _numbers(self, key: str) -> None:
        whole = key in ("steps", "widths")
        self._several(key, lambda level, value, take: _level_number(self._level(level), value, take, whole))

    def _formats(self, key: str) -> None:
        self._several(key, lambda level, value, take: self._pick_format(value, COARSER, self._level(level), take))

    def _pick_format(
        self, value: Any, known: Sequence[str], label: str, take: Callable[[Any], Awaitable[None]]
    ) -> None:
        """A format of dates, with what it means below; another one can be typed."""
        options = list(dict.fromkeys([*known, *([value] if value else [])]))

        async def choose(event: Any) -> None:
            field.props["hint"] = self._meaning(event.value)
            await take(event)

        field = ui.select(
            options, value=value, label=label, with_input=True, new_value_mode="add-unique", on_change=choose
        )
        field.props("dense outlined").classes("w-full")
        field.props["hint"] = self._meaning(value)
        field.add_slot("option", OPTION % json.dumps({form: self._meaning(form) for form in options}))

    def _meaning(self, form: str | None) -> str:
        return self.session.say(date_words(form)) if form else ""

    def _level(self, level: int) -> str:
        return self.session.say("Level {level}", level=level)

    def _several(self, key: str, draw: Callable[[int, Any, Callable[[Any], Awaitable[None]]], None]) -> None:
        """One field for each level, with buttons for one level more or less."""
        values: list[Any] = list(self.spec.get(key, []))
        ui.label(self._label(key)).classes("text-caption text-weight-medium")
        place = ui.column().classes("w-full gap-1")

        async def submit() -> None:
            await self._put(key, [value for value in values if value not in (None, "")])

        async def more() -> None:
            last = values[-1] if values else 1
            values.append("%Y" if isinstance(last, str) else last * 2)
            draw_levels()
            await submit()

        async def less() -> None:
            if len(values) > 1:
                values.pop()
                draw_levels()
                await submit()

        def draw_levels() -> None:
            place.clear()
            with place:
                for at, value in enumerate(values):

                    async def take(event: Any, at: int = at) -> None:
                        values[at] = event.value if isinstance(event.value, str | None) else _shortest(event.value)
                        await submit()

                    draw(at + 1, value, take)

        draw_levels()
        with ui.row().classes("gap-1"):
            for label, icon, action in (("more", "add", more), ("less", "remove", less)):
                text = self.session.say(HIERARCHIES[label])
                ui.button(text, icon=icon, on_click=action).props("flat dense no-caps size=sm")


def _level_number(label: str, value: Any, take: Callable[[Any], Awaitable[None]], whole: bool) -> None:
    ui.number(label, value=value, min=2 if whole else 0, precision=0 if whole else None, on_change=take).props(
        f"dense outlined {WAIT}"
    ).classes("w-full")


def _shortest(number: float) -> float | int:
    """A number without a needless fraction: 10 rather than 10.0."""
    return int(number) if float(number).is_integer() else float(number)

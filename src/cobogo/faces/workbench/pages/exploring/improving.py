"""What would keep more detail: changes of the policy, each tried on the table, and a button that makes the change."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from cobogo.data.policy.toml_file import parse_toml
from cobogo.faces.workbench.charts import table
from cobogo.faces.workbench.draft import PolicyDraft
from cobogo.faces.workbench.pages.exploring.studies import ExplorationPlace, StudyBench
from cobogo.floor.language import tr

KEYS = {
    "what": tr("change"),
    "detail": tr("detail kept"),
    "suppressed": tr("suppressed"),
    "smallest": tr("smallest class"),
    "guess": tr("worst inference"),
    "risk": tr("highest risk"),
    "withheld": tr("withheld"),
}


def build_improvement(place: ExplorationPlace) -> None:
    """The changes, as `cobogo improve` tries them."""
    say = place.session.say
    ui.label(
        say(
            "Tries changes of the policy that keep more detail without less protection: each record at its own "
            "levels, more records left out, one quasi-identifier less. Nothing is released."
        )
    ).classes("q-mt-sm")
    StudyBench(place, "improve", place.text, dict, lambda found: _show(place, found)).build(say("Try changes"))


def _show(place: ExplorationPlace, found: list[dict[str, Any]]) -> None:
    say = place.session.say
    if not found:
        ui.label(say("Nothing was tried yet.")).classes("text-body2")
        return
    now, *changed = found
    changed.sort(key=lambda one: -1.0 if one["detail"] is None else -one["detail"])
    made = table(
        [
            *((key, say(word), "left" if key in ("what", "withheld") else "right") for key, word in KEYS.items()),
            ("use", "", "left"),
        ],
        [_row(place, one, now) for one in (now, *changed)],
    )
    use = say("Use")
    made.add_slot(
        "body-cell-use",
        '<q-td :props="props"><q-btn v-if="props.row.change" flat dense no-caps color="primary" '
        f"""label="{use}" :aria-label="'{use}: ' + props.row.what" """
        """@click="() => $parent.$emit('use', props.row.change)" /></q-td>""",
    )
    lines = {one["change"]: one["table"] for one in changed}
    made.on("use", lambda event: _use(place, lines, str(event.args)))
    ui.label(
        say(
            "Detail kept is the mean share of detail that the quasi-identifiers of this policy keep. A column that is "
            "left out keeps none."
        )
    ).classes("text-caption")


def _row(place: ExplorationPlace, one: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """A change as a line of the table; one that keeps more has a button."""
    say = place.session.say
    if one["detail"] is None:
        return {"what": say(one["what"]), "detail": "–", "withheld": say(one["why"] or "")}
    return {
        "what": say(one["what"]),
        "detail": say.percent(one["detail"]),
        "suppressed": say.number(one["suppressed"]),
        "smallest": say.number(one["smallest_class"]),
        "guess": say.percent(one["worst_inference"]),
        "risk": say.percent(one["highest_risk"]),
        "withheld": ", ".join(one["withheld"]),
        "change": one["change"] if one["detail"] > (now["detail"] or 0.0) else "",
    }


def _use(place: ExplorationPlace, lines: dict[str, str], change: str) -> None:
    """Put a change that was tried into the policy."""
    if change in lines:
        apply_change(place.session.draft, lines[change], change)
        ui.notify(place.session.say("Now in the policy: {what}", what=change), type="positive")
        place.changed()


def apply_change(draft: PolicyDraft, table: str, line: str) -> None:
    """Write a line into a table of a policy.

    >>> draft = PolicyDraft('[attributes]\\nage = { role = "quasi-identifier" }')
    >>> apply_change(draft, "attributes", 'age = { role = "identifier" }')
    >>> apply_change(draft, "recoding", 'algorithm = "local"')
    >>> draft.attributes, draft.recoding
    ({'age': {'role': 'identifier'}}, {'algorithm': 'local'})
    """
    for key, value in parse_toml(line, "policy").items():
        if table == "attributes":
            draft.set_attribute(key, **value)
        else:
            draft.set(table, key, value)

"""An audit as a page, a picture and figures, in the evidence of the release that was audited."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cobogo.tell.report.audit_words import ATTACKS_IN_PORTUGUESE
from cobogo.tell.report.canvas import BLUE, INK, MARGIN, MUTED, ORANGE, WIDTH, Sheet
from cobogo.tell.report.html import environment
from cobogo.tell.report.words import Words, words

if TYPE_CHECKING:
    from cobogo.examine.attacks.base import Attack, Finding, Findings
    from cobogo.studies.audit import Audit, Trial

KINDS: tuple[Finding, ...] = ("record", "value", "presence")
TALL = 0.32  # inches of a row
BAR = 0.15
ATTACK = 1.9  # of the attacks' names
GAP = 0.3
SHARE = 2.2  # of the column of people found


def write(found: Audit, evidence: Path, *, language: str) -> None:
    """``audit.json``, ``audit.html`` and ``plots/audit.png``."""
    say = words(language)
    content = json.dumps(found.as_dict(), indent=1, ensure_ascii=False, allow_nan=False)
    (evidence / "audit.json").write_text(content + "\n", encoding="utf-8", newline="\n")
    picture = evidence / "plots" / "audit.png"
    picture.parent.mkdir(exist_ok=True)
    draw(found, picture, say=say)
    page = render(found, picture.read_bytes(), say=say)
    (evidence / "audit.html").write_text(page, encoding="utf-8", newline="\n")


def told(attack: type[Attack], say: Words) -> tuple[str, str, str]:
    """What an attack is called, what its attacker knows and what helps, in the language or in English."""
    english = (attack.name.replace("-", " "), attack.knows, attack.defence)
    return ATTACKS_IN_PORTUGUESE.get(attack.name, english) if say.language == "pt-BR" else english


def render(found: Audit, picture: bytes, *, say: Words) -> str:
    """The page."""
    succeeded = sum(bool(trial.findings) for trial in found.tried)
    figures = {"tried": len(found.tried), "records": found.records, "untried": len(found.untried)}
    return (
        environment()
        .get_template("audit.html.j2")
        .render(
            say=say,
            found=found,
            mark={"nobody": "✓", "exposed": "✗", "open": "?"}[found.verdict],
            holds=bool(found),
            headline=say(f"audit.{found.verdict}", n=succeeded),
            sentence=say(f"audit.{found.verdict}.why", **figures),
            people=[say(f"audit.people.{kind}", n=people) for kind, people in found.people.items() if people],
            about=_about(found, say),
            groups=[
                (say(f"audit.finds.{kind}"), say(f"audit.finds.{kind}.why"), _rows(found, kind, say)) for kind in KINDS
            ],
            failed=[
                {"name": told(trial.attack, say)[0], "why": reason(trial.why, trial.lacks, say, fits=True)}
                for trial in found.untried
            ],
            untried=[
                {"name": told(trial.attack, say)[0], "why": reason(trial.why, trial.lacks, say)}
                for trial in found.trials
                if trial.findings is None and not trial.open
            ],
            notes=found.notes,
            fact=say(f"audit.plot.{found.verdict}", n=succeeded),
            picture=b64encode(picture).decode(),
        )
    )


def _rows(found: Audit, kind: str, say: Words) -> list[dict[str, Any]]:
    """The attacks that were tried and find one kind of thing."""
    return [
        _row(trial, trial.findings, say)
        for trial in found.tried
        if trial.findings is not None and trial.attack.finds == kind
    ]


def _about(found: Audit, say: Words) -> list[tuple[str, str]]:
    models = [", ".join([str(model.get("model")), *_parameters(model)]) for model in found.models]
    return [
        (say("audit.release"), found.release),
        (say("audit.hash"), found.sha256),
        (say("audit.models"), "; ".join(models) or "–"),
        (say("audit.knowledge"), found.knowledge or say("audit.knowledge.none")),
        (say("audit.earlier"), ", ".join(found.earlier) or say("audit.earlier.none")),
    ]


def _parameters(model: dict[str, Any]) -> list[str]:
    aside = ("model", "measured", "satisfied")
    return [f"{name} = {value}" for name, value in model.items() if name not in aside and value is not None]


def _row(trial: Trial, findings: Findings, say: Words) -> dict[str, Any]:
    name, knows, defence = told(trial.attack, say)
    exposed = len(findings.exposed)
    surest, before = findings.surest
    assumed = findings.to_dict()["assumes"]
    return {
        "name": name,
        "knows": knows,
        "assumes": ", ".join(f"{option.replace('_', '-')} = {_option(value)}" for option, value in assumed.items()),
        "attacked": say.number(findings.attacked),
        "surest": say.percent(surest),
        "before": "" if before is None else say.percent(before),
        "by": say("audit.gain") if findings.by == "gain" else say("audit.surest"),
        "threshold": say.percent(findings.threshold),
        "exposed": exposed,
        "verdict": say("audit.somebody", n=exposed) if exposed else say("audit.none"),
        "share": say.percent(exposed / max(findings.attacked, 1)),
        "defence": defence,
    }


def _option(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value).lower()


def reason(why: str, lacks: Sequence[str], say: Words, *, fits: bool = False) -> str:
    """Why an attack was not tried: what it lacked, or else why it need not be, or could not though it ``fits``."""
    if lacks:
        inputs = {
            "knowledge": say("audit.input.knowledge"),
            "control": say("audit.input.control"),
            "queries": say("audit.input.queries"),
            "releases": say("audit.input.releases"),
        }
        return say("audit.needs", inputs=", ".join(inputs[name] for name in lacks))
    return why if say.language == "en" else say("audit.failed.other" if fits else "audit.other")


def draw(found: Audit, path: Path, *, say: Words) -> None:
    """A row for each attack that was tried: how sure it is, against its threshold, and how many it finds."""
    succeeded = sum(bool(trial.findings) for trial in found.tried)
    title = say(f"audit.plot.{found.verdict}", n=succeeded)
    sheet = Sheet(title, say("audit.plot.what"))
    left = MARGIN + ATTACK + GAP
    wide = WIDTH - left - MARGIN - GAP - SHARE
    other = left + wide + GAP
    for x, key, room in ((left, say("audit.plot.sure"), wide), (other, say("audit.plot.share"), SHARE)):
        sheet.text(x, sheet.top, sheet.fit(key, room, 9.5, bold=True), size=9.5, bold=True)
    top, rows = sheet.top + 0.4, [trial for trial in found.tried if trial.findings is not None]
    bottom = top + TALL * len(rows) - 0.12
    for x in (left, other):
        sheet.lines([((x, top - 0.18), (x, bottom))], MUTED)
    for place, trial in enumerate(rows):
        assert trial.findings is not None
        _drawn(sheet, trial.findings, told(trial.attack, say)[0], top + place * TALL, (left, wide, other), say)
    sheet.save(path, bottom + 0.2)


def _drawn(
    sheet: Sheet, findings: Findings, name: str, y: float, across: tuple[float, float, float], say: Words
) -> None:
    left, wide, other = across
    color = ORANGE if findings.succeeded else BLUE
    sheet.text(MARGIN, y, sheet.fit(name, ATTACK, 9.5))
    room = wide - 0.62
    sure = min(max(findings.surest[0], 0.0), 1.0)
    line = left + room * findings.threshold
    if sure > 0:
        sheet.bars([(left, y - BAR / 2, room * sure, BAR)], color)
    sheet.lines([((line, y - 0.13), (line, y + 0.13))], INK, thick=1.6)
    sheet.text(max(left + room * sure, line) + 0.07, y, say.percent(sure), size=8.5)
    share = len(findings.exposed) / max(findings.attacked, 1)
    long = (SHARE - 1.35) * share
    if share > 0:
        sheet.bars([(other, y - BAR / 2, max(long, 0.02), BAR)], color)
    shown = f"{say.number(len(findings.exposed))} ({say.percent(share)})"
    sheet.text(other + long + 0.07, y, shown, size=8.5)

"""An audit as a page that a data protection officer can sign, and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from cobogo.tell.report.audit_words import ATTACKS_IN_PORTUGUESE
from cobogo.tell.report.bars import Bar, bar_panel
from cobogo.tell.report.canvas import BLUE, MARGIN, ORANGE, WIDTH, Sheet
from cobogo.tell.report.page import (
    Cell,
    Field,
    PageSection,
    Row,
    page,
    pairs,
    paragraph,
    picture,
    short,
    table,
    verdict,
    verdict_box,
    warnings,
)
from cobogo.tell.report.words import Words

if TYPE_CHECKING:
    from cobogo.examine.attacks.base import Attack, Finding, Findings
    from cobogo.studies.audit import Audit

FINDS: tuple[Finding, ...] = ("record", "value", "presence")
ATTACK = 1.9  # inches of the attacks' names in the picture
GAP = 0.3
SHARE = 2.2  # of the column of people found

STYLE = """.trials tbody th { width: 36%; }
header p { text-align: left; }
tbody th .why { font-weight: 400; }
.sign td { height: 3.2rem; width: 60%; }
.sign th { vertical-align: bottom; }
"""


def render(found: Audit, png: bytes, *, say: Words) -> str:
    """A verdict, every attack by what it finds, what was not tried and why, and a place to sign."""
    about = Markup("<bdi>{}</bdi>, {}").format(short(found.release), say("records", n=found.records))
    failed = [
        f"{describe_attack(one.attack, say)[0]}: {reason(one.why or '', one.lacks, say, fits=True)}"
        for one in found.untried
    ]
    idle = [one for one in found.trials if one.findings is None and not one.open]
    untried = [[describe_attack(one.attack, say)[0], reason(one.why or "", one.lacks, say)] for one in idle]
    columns = [Field(say("audit.attack"), "row"), Field(say("audit.reason"), "why")]
    sections = [
        PageSection(parts=[_verdict(found, say), picture(png, _fact(found, say))]),
        PageSection(say("audit.what"), parts=[_subject(found, say)]),
        PageSection(say("audit.table"), say("audit.table.why"), _tables(found, say)),
        PageSection(say("audit.failed"), say("audit.failed.why"), [warnings(failed)]) if failed else None,
        PageSection(say("audit.untried"), say("audit.untried.why"), [table(columns, untried)]) if untried else None,
        PageSection(say("audit.notes"), parts=[warnings(found.notes)]) if found.notes else None,
        PageSection(say("audit.sign"), say("audit.sign.why"), [_signature(say)]),
    ]
    return page(
        say,
        say("audit.title"),
        sections,
        created=found.created,
        source=found.release,
        about=about,
        banner=(say("audit.banner"), say("audit.banner.why")),
        style=STYLE,
    )


def _count_successes(found: Audit) -> int:
    return sum(bool(trial.findings) for trial in found.tried)


def _fact(found: Audit, say: Words) -> str:
    """The headline of the picture."""
    return say(f"audit.plot.{found.verdict}", n=_count_successes(found))


def _verdict(found: Audit, say: Words) -> Markup:
    figures = {"tried": len(found.tried), "records": found.records, "untried": len(found.untried)}
    mark = {"nobody": "✓", "exposed": "✗", "open": "?"}[found.verdict]
    sentences = [say(f"audit.{found.verdict}.why", **figures)]
    sentences += [say(f"audit.people.{kind}", n=people) for kind, people in found.people.items() if people]
    title = say(f"audit.{found.verdict}", n=_count_successes(found))
    return verdict_box(title, sentences, mark=mark, holds=bool(found))


def _subject(found: Audit, say: Words) -> Markup:
    models = [", ".join([str(model.get("model")), *_parameters(model)]) for model in found.models]
    told = [
        (say("audit.release"), found.release),
        (say("audit.hash"), found.sha256),
        (say("audit.models"), "; ".join(models) or "–"),
        (say("audit.knowledge"), found.knowledge or say("audit.knowledge.none")),
        (say("audit.earlier"), ", ".join(found.earlier) or say("audit.earlier.none")),
    ]
    return pairs((name, Markup("<bdi>{}</bdi>").format(value)) for name, value in told)


def _tables(found: Audit, say: Words) -> list[Markup]:
    """For each kind of thing that attacks find, those that were tried."""
    fields = [
        Field(f"{say('audit.attack')}; {say('audit.knows')} …", "row"),
        Field(say("audit.attacked"), "num"),
        Field(f"{say('audit.surest')} / {say('audit.gain')}", "num"),
        Field(say("audit.before"), "num"),
        Field(say("audit.threshold"), "num"),
        Field(say("audit.verdict")),
        Field(say("audit.defence"), "why"),
    ]
    parts: list[Markup] = []
    for kind in FINDS:
        rows = [
            _row(trial.attack, trial.findings, say)
            for trial in found.tried
            if trial.findings is not None and trial.attack.finds == kind
        ]
        if rows:
            parts.append(Markup("<h3>{}</h3>").format(say(f"audit.finds.{kind}")))
            parts += [paragraph(say(f"audit.finds.{kind}.why"), "lead"), table(fields, rows, kind="trials")]
    return parts


def draw(found: Audit, path: Path, *, say: Words) -> None:
    """A row for each attack that was tried: how sure it is, against its threshold, and how many it finds."""
    sheet = Sheet(_fact(found, say), say("audit.plot.what"))
    left = MARGIN + ATTACK + GAP
    wide = WIDTH - left - MARGIN - GAP - SHARE
    sure, shares, names = [], [], []
    for trial in found.tried:
        assert trial.findings is not None
        findings = trial.findings
        color = ORANGE if findings.succeeded else BLUE
        surest = min(max(findings.surest[0], 0.0), 1.0)
        share = len(findings.exposed) / max(findings.attacked, 1)
        names.append(describe_attack(trial.attack, say)[0])
        sure.append(Bar(surest, say.percent(surest), color, mark=findings.threshold))
        shares.append(Bar(share, f"{say.number(len(findings.exposed))} ({say.percent(share)})", color))
    top = sheet.top
    bar_panel(sheet, say("audit.plot.sure"), sure, left=left, wide=wide, most=1.0, size=9.5)
    sheet.top = top
    middles = bar_panel(sheet, say("audit.plot.share"), shares, left=left + wide + GAP, wide=SHARE, most=1.0, size=9.5)
    for name, y in zip(names, middles, strict=True):
        sheet.text(MARGIN, y, sheet.fit(name, ATTACK, 9.5))
    sheet.save(path, sheet.top)


def describe_attack(attack: type[Attack], say: Words) -> tuple[str, str, str]:
    """The name of an attack, what its attacker knows and what helps, in the language or in English."""
    english = (attack.name.replace("-", " "), attack.knows, attack.defence)
    return ATTACKS_IN_PORTUGUESE.get(attack.name, english) if say.language == "pt-BR" else english


def reason(why: str, lacks: Sequence[str], say: Words, *, fits: bool = False) -> str:
    """Why an attack was not tried: what it lacked, or why it does not apply, or why it failed though it ``fits``."""
    if lacks:
        inputs = {
            "knowledge": say("audit.input.knowledge"),
            "control": say("audit.input.control"),
            "queries": say("audit.input.queries"),
            "releases": say("audit.input.releases"),
        }
        return say("audit.needs", inputs=", ".join(inputs[name] for name in lacks))
    return why if say.language == "en" else say("audit.failed.other" if fits else "audit.other")


def _row(attack: type[Attack], findings: Findings, say: Words) -> Row:
    name, knows, defence = describe_attack(attack, say)
    exposed = len(findings.exposed)
    surest, before = findings.surest
    assumed = [
        f"{option.replace('_', '-')} = {_option(value)}" for option, value in findings.to_dict()["assumes"].items()
    ]
    knowledge = f"{knows} ({', '.join(assumed)})" if assumed else knows
    share = f"({say.percent(exposed / max(findings.attacked, 1))})" if exposed else ""
    return [
        Markup('{}<div class="why">{}</div>').format(name, knowledge),
        say.number(findings.attacked),
        Cell(say.percent(surest), hint=say("audit.gain") if findings.by == "gain" else say("audit.surest")),
        "" if before is None else say.percent(before),
        say.percent(findings.threshold),
        verdict(say("audit.somebody", n=exposed) if exposed else say("audit.none"), holds=not exposed, more=share),
        defence if exposed else "",
    ]


def _option(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value).lower()


def _parameters(model: dict[str, Any]) -> list[str]:
    aside = ("model", "measured", "satisfied")
    return [f"{name} = {value}" for name, value in model.items() if name not in aside and value is not None]


def _signature(say: Words) -> Markup:
    """A table with room to sign."""
    keys = ("audit.sign.name", "audit.sign.decision", "audit.sign.date", "audit.sign.signature")
    return table([Field("", "row"), Field("")], [[say(key), ""] for key in keys], kind="sign")

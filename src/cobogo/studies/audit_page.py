"""An audit as a page that a data protection officer can sign, and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from cobogo.examine.attacks.base import severity
from cobogo.floor.language import Speech, Text, tr
from cobogo.tell.report.bars import Bar, bar_panel
from cobogo.tell.report.canvas import BLUE, MARGIN, ORANGE, RED, WIDTH, Sheet
from cobogo.tell.report.html import describe_model
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

if TYPE_CHECKING:
    from cobogo.examine.attacks.base import Attack, Finding, Findings
    from cobogo.studies.audit import AttackTrial, Audit

AUDIT_PLOT = {
    "nobody": tr("No attack that was tried exceeds its threshold"),
    "open": tr("No verdict: some attacks that apply could not be tried"),
    "inferred": Text("{n} attack exceeds its threshold", "{n} attacks exceed their thresholds"),
    "exposed": Text("{n} attack exceeds its threshold", "{n} attacks exceed their thresholds"),
}

AUDIT = {
    "nobody": tr("No attack that was tried finds a person"),
    "inferred": Text(
        "{n} attack infers values of people, and no attack that was tried finds a person",
        "{n} attacks infer values of people, and no attack that was tried finds a person",
    ),
    "exposed": Text("{n} attack finds people", "{n} attacks find people"),
    "open": tr("No verdict: some attacks that apply to this release could not be tried"),
}

AUDIT_WHY = {
    "nobody": tr(
        "{tried} attacks were tried on {records} records: all that apply to this release and had what they need. "
        "No attack exceeds its threshold with more confidence about a person than without the attack. The "
        "attacks that were not tried are listed below."
    ),
    "inferred": tr(
        "{tried} attacks were tried on {records} records. Those in orange guess a sensitive value of at least one "
        "person more surely than their threshold allows. What helps is beside each of them."
    ),
    "exposed": tr(
        "{tried} attacks were tried on {records} records. Those in red find at least one person, those in orange infer "
        "a value of at least one. What helps is beside each of them."
    ),
    "open": tr(
        "{tried} attacks were tried on {records} records and find no person. {untried} attacks that apply to "
        "this release could not be tried, so it is not known what they would find. Do not take this page for an "
        "all-clear."
    ),
}

AUDIT_PEOPLE = {
    "record": Text(
        "{n} person is re-identified: their record is found.", "{n} people are re-identified: their records are found."
    ),
    "value": Text(
        "A sensitive value of {n} person is inferred, even if their record is not found.",
        "A sensitive value of {n} people is inferred, even if their records are not found.",
    ),
    "presence": Text("{n} person is found to be in the data.", "{n} people are found to be in the data."),
}

AUDIT_FINDS = {
    "record": tr("Re-identification: whose record it is"),
    "value": tr("Inference: what a person has"),
    "presence": tr("Presence: who is in the data"),
}

AUDIT_FINDS_WHY = {
    "record": tr("The attacker learns which record belongs to a person."),
    "value": tr(
        "The attacker guesses a sensitive value of a person, without finding the record. For “similarity” a guess is "
        "right that is near; for the other attacks and for the report only the value itself."
    ),
    "presence": tr("The attacker learns that a person is in the data."),
}

EXPOSED = {
    "record": tr("✗ {n} re-identified"),
    "value": tr("! {n} inferred"),
    "presence": tr("✗ {n} present"),
}
"""What an attack that succeeds does to people, by what it finds."""

NEAR = tr("! {n} inferred roughly")
"""The same of an attack for which a similar value, or a range, is right."""

GAINED = tr("! {n} likelier")
"""The same of an attack that makes a value likelier, which may still be improbable."""

ONLY_NEAR = Text(
    "A sensitive value of {n} person is inferred roughly: a similar one, or a range. The report counts exact values.",
    "A sensitive value of {n} people is inferred roughly: a similar one, or a range. The report counts exact values.",
)

FINDS: tuple[Finding, ...] = ("record", "value", "presence")
COLORS = {"nobody": BLUE, "inferred": ORANGE, "exposed": RED}
ATTACK = 1.9  # inches of the attacks' names in the picture
GAP = 0.3
SHARE = 2.2  # of the column of people found

STYLE = """.trials tbody th { width: 36%; }
header p { text-align: left; }
tbody th .why { font-weight: 400; }
.sign td { height: 3.2rem; width: 60%; }
.sign th { vertical-align: bottom; }
"""


def render(found: Audit, svg: str, *, say: Speech) -> str:
    """A verdict, every attack by what it finds, what was not tried and why, and a place to sign."""
    about = Markup("<bdi>{}</bdi>, {}").format(
        short(found.release), say.plural("{n} record", "{n} records", n=found.records)
    )
    failed = [
        f"{describe_attack(one.attack, say)[0]}: {reason(one.why or '', one.lacks, say, fits=True)}"
        for one in found.untried
    ]
    idle = [one for one in found.trials if one.findings is None and not one.open]
    untried = [[describe_attack(one.attack, say)[0], reason(one.why or "", one.lacks, say)] for one in idle]
    columns = [Field(say("attack"), "row"), Field(say("why not"), "why")]
    sections = [
        PageSection(parts=[_verdict(found, say), picture(svg, _fact(found, say))]),
        PageSection(say("What was audited"), parts=[_subject(found, say)]),
        PageSection(
            say("What each attack finds"),
            say(
                "An attack succeeds with a person when its confidence exceeds the threshold, and exceeds the "
                "confidence without the attack. Some attacks are measured by their confidence, others by their "
                "gain: how "
                "much the confidence grows. The column “without it” shows the confidence without the attack."
            ),
            _tables(found, say),
        ),
        PageSection(
            say("Attacks that apply to this release and could not be tried"),
            say("It is not known what they would find."),
            [warnings(failed)],
        )
        if failed
        else None,
        PageSection(
            say("Attacks that were not tried"),
            say("They need something that was not given, or apply to another kind of release."),
            [table(columns, untried)],
        )
        if untried
        else None,
        PageSection(say("What was not examined"), parts=[warnings(map(say, found.notes))]) if found.notes else None,
        PageSection(
            say("Acknowledged"),
            say(
                "By the person who is responsible for the protection of the data. This audit is about the "
                "release with the hash above. Another release needs another audit."
            ),
            [_signature(say)],
        ),
    ]
    return page(
        say,
        say("Audit of a release"),
        sections,
        created=found.created,
        source=found.release,
        about=about,
        banner=(
            say("Keep this page with the evidence: it says how the release can be attacked."),
            say("It shows no values of the data, only how many people an attack finds and with what confidence."),
        ),
        style=STYLE,
    )


def _fact(found: Audit, say: Speech) -> str:
    """The headline of the picture."""
    return say(AUDIT_PLOT[found.verdict], n=len(found.succeeded))


def _verdict(found: Audit, say: Speech) -> Markup:
    figures = {"tried": len(found.tried), "records": found.records, "untried": len(found.untried)}
    mark = {"nobody": "✓", "inferred": "!", "exposed": "✗", "open": "?"}[found.verdict]
    sentences = [say(AUDIT_WHY[found.verdict], **figures)]
    words = AUDIT_PEOPLE | ({"value": ONLY_NEAR} if found.only_near else {})
    sentences += [say(words[kind], n=people) for kind, people in found.people.items() if people]
    finding = [one for one in found.succeeded if found.verdict == "inferred" or one.attack.finds != "value"]
    title = say(AUDIT[found.verdict], n=len(finding))
    inferred = found.verdict == "inferred"
    return verdict_box(title, sentences, mark=mark, holds=bool(found) or inferred, caution=inferred)


def _subject(found: Audit, say: Speech) -> Markup:
    models = [describe_model(model, say) for model in found.models]
    told = [
        (say("release"), found.release),
        (say("SHA-256 of its manifest"), found.sha256),
        (say("promised models"), "; ".join(models) or "–"),
        (say("what the attacker was given"), found.knowledge or say("nothing besides the release")),
        (say("compared with"), ", ".join(found.earlier) or say("no other release")),
    ]
    return pairs((name, Markup("<bdi>{}</bdi>").format(value)) for name, value in told)


def _tables(found: Audit, say: Speech) -> list[Markup]:
    """For each kind of thing that attacks find, those that were tried."""
    fields = [
        Field(say("attack, and what the attacker knows"), "row"),
        Field(say("attacked"), "num"),
        Field(say("highest confidence or gain"), "num"),
        Field(say("without it"), "num"),
        Field(say("threshold"), "num"),
        Field(say("verdict")),
        Field(say("what helps"), "why"),
    ]
    parts: list[Markup] = []
    for kind in FINDS:
        rows = [
            _row(trial, trial.findings, say)
            for trial in found.tried
            if trial.findings is not None and trial.attack.finds == kind
        ]
        if rows:
            parts.append(Markup("<h3>{}</h3>").format(say(AUDIT_FINDS[kind])))
            parts += [paragraph(say(AUDIT_FINDS_WHY[kind]), "lead"), table(fields, rows, kind="trials")]
    return parts


def draw(found: Audit, path: Path, *, say: Speech) -> str:
    """A row for each attack that was tried: how sure it is, against its threshold, and how many it finds."""
    sheet = Sheet(
        _fact(found, say),
        say(
            "The highest confidence or gain of each attack; the line marks its threshold. Above it, red finds people, "
            "and orange infers values. Right: the share of the attacked people with whom it succeeds."
        ),
    )
    left = MARGIN + ATTACK + GAP
    wide = WIDTH - left - MARGIN - GAP - SHARE
    sure, shares, names = [], [], []
    for trial in found.tried:
        assert trial.findings is not None
        findings = trial.findings
        color = COLORS[severity([trial.attack.finds] if findings.succeeded else [])]
        surest = min(max(findings.surest[0], 0.0), 1.0)
        share = trial.exposed / max(trial.attacked, 1)
        names.append(describe_attack(trial.attack, say)[0])
        sure.append(Bar(surest, say.percent(surest), color, mark=findings.threshold))
        shares.append(Bar(share, f"{say.number(trial.exposed)} ({say.percent(share)})", color))
    top = sheet.top
    bar_panel(sheet, say("highest confidence or gain"), sure, left=left, wide=wide, most=1.0, size=9.5)
    sheet.top = top
    middles = bar_panel(sheet, say("people"), shares, left=left + wide + GAP, wide=SHARE, most=1.0, size=9.5)
    for name, y in zip(names, middles, strict=True):
        sheet.text(MARGIN, y, sheet.fit(name, ATTACK, 9.5))
    return sheet.save(path, sheet.top)


def exposed_words(trial: AttackTrial) -> Text | str:
    """What an attack that succeeds does to so many people."""
    return GAINED if trial.gains else NEAR if trial.attack.near else EXPOSED[trial.attack.finds]


def describe_attack(attack: type[Attack], say: Speech) -> tuple[str, str, str]:
    """The name of an attack, what its attacker knows and what helps."""
    return say(attack.card.title), say(attack.knows), say(attack.defence)


def reason(why: str, lacks: Sequence[str], say: Speech, *, fits: bool = False) -> str:
    """Why an attack was not tried: what it lacked, or why it does not apply, or why it failed though it ``fits``."""
    if lacks:
        inputs = {
            "knowledge": say("a table of people (--knowledge)"),
            "control": say("a table of people who are not in the release (--control)"),
            "queries": say("queries that were answered (--queries)"),
            "releases": say("an earlier release (--with)"),
        }
        return say("needs {inputs}", inputs=", ".join(inputs[name] for name in lacks))
    if isinstance(why, Text) or say.language == "en":
        return say(why)
    # Read back from audit.json, which is for programs: English, without its template.
    return (
        say("applies to this release, and could not be tried")
        if fits
        else say("applies to another kind of release, or finds nothing to attack in this one")
    )


def _row(trial: AttackTrial, findings: Findings, say: Speech) -> Row:
    attack, exposed = trial.attack, trial.exposed
    name, knows, defence = describe_attack(attack, say)
    surest, before = findings.surest
    assumed = [
        f"{option.replace('_', '-')} = {_option(value)}" for option, value in findings.to_dict()["assumes"].items()
    ]
    knowledge = f"{knows} ({', '.join(assumed)})" if assumed else knows
    share = f"({say.percent(exposed / max(trial.attacked, 1))})" if exposed else ""
    return [
        Markup('{}<div class="why">{}</div>').format(name, knowledge),
        say.number(trial.attacked),
        Cell(say.percent(surest), hint=say("highest gain") if findings.by == "gain" else say("highest confidence")),
        "" if before is None else say.percent(before),
        say.percent(findings.threshold),
        verdict(
            say(exposed_words(trial), n=exposed) if exposed else say("✓ nobody"),
            holds=not exposed,
            caution=attack.finds == "value",
            more=share,
        ),
        defence if exposed else "",
    ]


def _option(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value).lower()


def _signature(say: Speech) -> Markup:
    """A table with room to sign."""
    keys = (tr("name and role"), tr("decision (release, withhold, change)"), tr("place and date"), tr("signature"))
    return table([Field("", "row"), Field("")], [[say(key), ""] for key in keys], kind="sign")

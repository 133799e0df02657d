"""The page of the guide: before and after, the attacks that fail and the one that works, and what to do next."""

from __future__ import annotations

from markupsafe import Markup

from cobogo.data.policy import Role
from cobogo.floor.language import Speech, tr
from cobogo.studies.guide.results import PUBLIC, RELEASES, ColumnChange, Guide, GuideCase, LinkageTrial
from cobogo.studies.guide.tables import list_releases, show_unsuppressed
from cobogo.tell.report.exposure import inferred
from cobogo.tell.report.page import (
    Field,
    PageSection,
    Row,
    lines,
    link,
    names,
    origin,
    page,
    pairs,
    paragraph,
    short,
    table,
    tiles,
    verdict,
    verdict_box,
    warnings,
)

STYLE = """a { color: var(--blue); }
header p { text-align: left; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 0 1rem; }
.pictures h2, .pictures .lead { grid-column: 1 / -1; }
.pictures figure { background: #fff; align-self: start; }
code { overflow-wrap: anywhere; }
tbody th bdi { overflow-wrap: break-word; }
.wide + p { margin-top: .7rem; }
.wide + p + p { margin-top: .3rem; }
"""

FATES = {
    Role.IDENTIFIER: tr("removed"),
    Role.QUASI_IDENTIFIER: tr("generalized to level {level}"),
    Role.SENSITIVE: tr("kept as it is, and protected by l-diversity"),
    Role.NON_SENSITIVE: tr("kept as it is"),
}
"""What the releases do with a column, by its role."""

ROLE_NAMES = {
    Role.IDENTIFIER: tr("identifier"),
    Role.QUASI_IDENTIFIER: tr("quasi-identifier"),
    Role.SENSITIVE: tr("sensitive"),
    Role.NON_SENSITIVE: tr("non-sensitive"),
}

SHOWN = 10
"""Classes that the attack on two releases lists."""


def render(found: Guide, say: Speech) -> str:
    """The whole page. It shows no name and no sensitive value of a person; it stays with the data holder."""
    sections = [
        PageSection(parts=_advice(found, say)),
        _figures(found, say),
        _changes(found, say),
        _linkage(found, say),
        _together(found, say),
        *list_releases(found, say),
        show_unsuppressed(found, say),
        _pictures(found, say),
        _next_steps(found, say),
    ]
    return page(
        say,
        say("k-anonymity and l-diversity, step by step"),
        sections,
        source=found.source,
        about=_about(found, say),
        banner=(
            say("Keep this page and this directory."),
            say("Only {public} may leave. The page shows how the releases can be attacked.", public=f"{PUBLIC}/"),
        ),
        style=STYLE,
        images="'self'",
    )


def code(text: str) -> Markup:
    """A command, or a name of a file."""
    return Markup("<code>{}</code>").format(text)


def _about(found: Guide, say: Speech) -> Markup:
    if not found.invented:
        return origin(say, found.source, found.records)
    records = say.plural("{n} record", "{n} records", n=found.records)
    lead = say("{records} of COVID-19 cases in Ceará. The people are invented.", records=records)
    return lines(lead, Markup("{}: {}").format(say("Original data"), link(found.source)))


def _advice(found: Guide, say: Speech) -> list[Markup]:
    """Which release to give away, and that the others are alternatives."""
    case, others = found.chosen, len(found.achieved) - 1
    promise = _promise(case)
    why = (
        say("It keeps the promises of all releases of this page: {promise}.", promise=promise)
        if found.strongest
        else say("It is the strongest one that exists for these data: {promise}.", promise=promise)
    )
    place = Markup("{} {}").format(link(f"{PUBLIC}/release.csv", f"{PUBLIC}/"), why)
    alternatives = [
        say.plural(
            "The other release is an alternative to compare it with. Do not publish the two together.",
            "The other {n} releases are alternatives to compare it with. Do not publish two of them together.",
            n=others,
        )
    ]
    report = dict(found.achieved)[case]
    guessed = [
        say(
            "Its models do not prevent that “{attribute}” of somebody is guessed with probability {share}, where "
            "anybody guesses it with {baseline}.",
            attribute=name,
            share=say.percent(one["after"]),
            baseline=say.percent(one["baseline"]),
        )
        for name, one in report["inference"].items()
        if inferred(**one)
    ]
    box = verdict_box(
        say("Give away only this one"),
        [place, *(alternatives if others else []), *guessed],
        mark="!" if guessed else "✓",
        holds=True,
        caution=bool(guessed),
    )
    parts = [box]
    notes = [*map(say, found.warnings)]
    if found.explained:
        notes.insert(
            0,
            say(
                "No policy was given: the roles and hierarchies below are those that cobogo inspect suggests. Read "
                "them before you give anything away."
            ),
        )
    return [*parts, warnings(notes)] if notes else parts


def _promise(case: GuideCase) -> str:
    return f"k = {case.k}" if case.l is None else f"k = {case.k}, l = {case.l}"


def _figures(found: Guide, say: Speech) -> PageSection:
    reports = dict(found.achieved)
    records = found.records
    return tiles(
        [
            (
                say("record found, original table"),
                say.percent(found.linkage[None].exposed / records),
                say("{n} of {records} people", n=found.linkage[None].exposed, records=records),
            ),
            (
                say("record found, release to give away"),
                say.percent(found.linkage[found.chosen].exposed / records),
                say("at best with a probability of {share}", share=say.percent(found.linkage[found.chosen].highest)),
            ),
            (
                say("suppressed, release to give away"),
                say.percent(reports[found.chosen]["suppressed"] / records),
                say("{n} of {records} records", n=reports[found.chosen]["suppressed"], records=records),
            ),
        ]
    )


def _changes(found: Guide, say: Speech) -> PageSection:
    """What becomes of each column."""
    fields = [
        Field(say("column"), "row"),
        Field(say("role")),
        Field(say("what happens")),
        Field(say("example"), "data"),
    ]
    fields += [Field(say("distinct values"), "num")] + ([Field(say("because"), "why")] if found.explained else [])
    rows = [
        [*_change(column, found, say), *([say(column.reason or "")] if found.explained else [])]
        for column in found.columns
    ]
    lead = say(
        "Each column in the original table, and in the release to give away. The examples are the most frequent values."
    )
    return PageSection(say("Before and after"), lead, [table(fields, rows)])


def _change(column: ColumnChange, found: Guide, say: Speech) -> list[str]:
    level = dict(found.achieved)[found.chosen]["levels"].get(column.name)
    unchanged = level == 0 or (column.role is Role.SENSITIVE and found.chosen.l is None)
    fate = say(FATES[Role.NON_SENSITIVE if unchanged else column.role], level=level)
    values, example = "", Markup("")
    if column.example is not None:
        before, after = (short(say.label(value)) for value in column.example)
        example = Markup("<bdi>{}</bdi> → <strong><bdi>{}</bdi></strong>").format(before, after)
        values = f"{say.number(column.before)} → {say.number(column.after)}"
    return [names([column.name]), say(ROLE_NAMES[column.role]), fate, example, values]


def _linkage(found: Guide, say: Speech) -> PageSection:
    """The attack that works on the original table and fails on the release; and what k alone leaves open."""
    fields = [Field(say("table"), "row"), Field(say("people whose record is found"), "num")]
    fields += [Field(say("highest probability"), "num")]
    fields += [Field(say("worst inference of “{attribute}”", attribute=name), "num") for name in found.sensitive]
    rows = [_linkage_row(found, case, trial, say) for case, trial in found.linkage.items()]
    lead = say(
        "The attacker knows {columns} of everybody and looks for their records. To remove names and numbers is not "
        "enough: in the original table, the other columns find them. In a release, at least k people share each "
        "combination.",
        columns=" + ".join(found.quasi_identifiers),
    )
    inference = say(
        "The worst inference is the share of correct guesses of the sensitive value in the class where the guess works "
        "best. k alone does not limit it: a class in which everybody has the same value gives it away. l-diversity "
        "excludes such a class. It does not limit the share to 1/l."
    )
    table_name = found.source if found.invented else say("FILE")
    command = f"cobogo attack record-linkage {RELEASES}/{found.chosen.name} --knowledge {table_name}"
    parts = [table(fields, rows, chosen=len(rows) - 1), *([paragraph(inference)] if found.sensitive else [])]
    title = say("An attack that works on the original table and fails on the release")
    return PageSection(title, lead, [*parts, _try_it(command, say)])


def _linkage_row(found: Guide, case: GuideCase | None, trial: LinkageTrial, say: Speech) -> Row:
    reports = dict(found.achieved)
    side, report = ("before", reports[found.chosen]) if case is None else ("after", reports[case])
    name = say("the original table") if case is None else _promise(case)
    if case == found.chosen:
        name = say("{promise}: the one to give away", promise=name)
    inference = [say.percent(one[side]) for one in report["inference"].values()]
    count = verdict(say.number(trial.exposed), holds=not trial.exposed)
    return [name, count, say.percent(trial.highest), *inference]


def _try_it(command: str, say: Speech) -> Markup:
    return paragraph(Markup("{} {}").format(say("Try it:"), code(command)))


def _together(found: Guide, say: Speech) -> PageSection:
    """The attack that works on two releases together."""
    title, pair = say("An attack that works on two releases together"), found.together
    if pair is None or not pair.exposed:
        lead = say(
            "In the pairs that were tried, to subtract one release from the other leaves no person alone. This proves "
            "nothing: another pair, another k, or one more record may change it. Publish one release only."
        )
        return PageSection(title, lead)
    one, other = pair.minuend.name, pair.subtrahend.name
    lead = say.plural(
        "Each of the two releases keeps its promise. Subtract {other} from {one}, class by class: in {n} class a "
        "single person is left, with all that the row says.",
        "Each of the two releases keeps its promise. Subtract {other} from {one}, class by class: in {n} classes a "
        "single person is left, with all that the row says.",
        n=pair.exposed,
        one=one,
        other=other,
    )
    told = [
        place
        for place in range(len(found.quasi_identifiers))
        if any(left.values[place] != "*" for left in pair.remainders[:SHOWN])
    ]
    fields = [Field(found.quasi_identifiers[place], "row") for place in told]
    fields += [Field(say("records in {name}", name=one), "num"), Field(say("of them in {name}", name=other), "num")]
    fields += [Field(say("left"), "num")]
    rows: list[Row] = [
        [
            *(short(say.label(left.values[place])) for place in told),
            say.number(left.records),
            say.number(left.records - 1),
            verdict("1", holds=False),
        ]
        for left in pair.remainders[:SHOWN]
    ]
    secret = ", ".join(f"“{name}”" for name in found.sensitive)
    known = say(
        "Whoever has both files reads {attributes} of these people. This page does not show it.", attributes=secret
    )
    command = f"cobogo attack differencing {RELEASES}/{other} {RELEASES}/{one}"
    parts = [table(fields, rows), *([paragraph(known)] if secret else []), _try_it(command, say)]
    if pair.exposed > SHOWN:
        parts.insert(1, paragraph(say("Classes that are not listed: {n}.", n=pair.exposed - SHOWN)))
    return PageSection(title, lead, parts)


def _pictures(found: Guide, say: Speech) -> PageSection:
    figure = Markup('<figure><img alt="{0}" src="{0}" loading="lazy"></figure>')
    return PageSection(
        say("Histograms"),
        say("The largest classes of each k; for each l, how many distinct values the classes have."),
        [figure.format(case.histogram) for case, _ in found.achieved],
        kind="pictures",
    )


def _next_steps(found: Guide, say: Speech) -> PageSection:
    """What to do next, as commands."""
    release = f"{RELEASES}/{found.chosen.name}"
    steps = [
        (say("Check what you give away"), code(f"cobogo verify {PUBLIC}")),
        (say("Try every attack, and get a page to sign"), code(f"cobogo audit {release}")),
        (
            say("Choose another release instead"),
            say("Give its public directory away in place of this one, and no other."),
        ),
        (
            say("Publish again later"),
            say("The next release can expose people together with this one. cobogo registry remembers and checks."),
        ),
    ]
    if found.invented:
        steps.insert(0, (say("Do the same with your own table"), code(f"cobogo guide {say('FILE')}")))
    elif found.explained:
        steps.insert(0, (say("Confirm the roles"), code(f"cobogo inspect {say('FILE')} --write policy.toml")))
    return PageSection(say("What to do next"), say("The commands are for the directory of this page."), [pairs(steps)])

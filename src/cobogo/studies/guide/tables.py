"""The tables of the guide's page: every release, and the lattice without suppression."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from cobogo.floor.language import Speech
from cobogo.studies.guide.results import RELEASES, Guide, GuideCase, GuideResult
from cobogo.studies.release_trial import ReleaseTrial
from cobogo.tell.report.page import Cell, Field, PageSection, Row, lines, link, paragraph, strong, table, verdict


def list_releases(found: Guide, say: Speech) -> Iterable[PageSection]:
    """All releases: k alone, then k with l, and what suppression has to do with it."""
    limits = sorted({result.limit for result in found.results})
    limit = say(
        "In each release, up to {share} of the records may be suppressed. The guide suppresses none: see below.",
        share=say.percent(limits[0]),
    )
    more = say(
        "With so few records, some releases exist only if more are suppressed: up to {share}. The table says which.",
        share=say.percent(limits[-1]),
    )
    alone = [result for result in found.results if result.case.l is None]
    diverse = [result for result in found.results if result.case.l is not None]
    counted = say(
        "Precision is 1 for the original table and 0 where everything is generalized as far as it goes. A suppressed "
        "record counts as generalized as far as it goes."
    )
    yield PageSection(
        say("k-anonymity"),
        say("At least k people share every combination of {columns}.", columns=" + ".join(found.quasi_identifiers)),
        [_table(found, alone, say), paragraph(" ".join([limit, *([more] if len(limits) > 1 else []), counted]))],
    )
    if diverse:
        attributes = ", ".join(f"“{name}”" for name in found.sensitive)
        lead = say("In every class, at least l distinct values of {attributes} occur.", attributes=attributes)
        yield PageSection(say("l-diversity"), lead, [_table(found, diverse, say)])
    elif not found.sensitive:
        yield PageSection(say("l-diversity"), say("The table has no sensitive attribute: l-diversity does not apply."))


def _table(found: Guide, results: Sequence[GuideResult], say: Speech) -> Markup:
    fields = [Field("k", "row"), Field("l"), *_level_fields(found, say)]
    measured = [say("precision"), say("average class size"), say("classes"), say("suppressed records")]
    fields += [*(Field(name, "num") for name in measured), Field(say("file"), "data")]
    chosen = next((n for n, result in enumerate(results) if result.case == found.chosen), None)
    return table(fields, [_row(found, result, len(fields), say) for result in results], chosen=chosen)


def _level_fields(found: Guide, say: Speech) -> list[Field]:
    """A column of levels for each quasi-identifier, or one for all where there are many."""
    few = len(found.quasi_identifiers) <= 3
    return [Field(name, "num") for name in found.quasi_identifiers] if few else [Field(say("levels"))]


def _levels(found: Guide, levels: Iterable[int], say: Speech) -> list[str]:
    texts = [say.number(level) for level in levels]
    return texts if len(_level_fields(found, say)) == len(texts) else [", ".join(texts)]


def _row(found: Guide, result: GuideResult, width: int, say: Speech) -> Row:
    case, report = result.case, result.report
    asked = [str(case.k), "–" if case.l is None else str(case.l)]
    if report is None:
        why = say("with up to {share} of the records suppressed", share=say.percent(result.limit))
        return [*asked, Cell(_not_achieved(case, say, why), "why", width - 2)]
    share = say(
        "{share} of at most {limit}", share=say.percent(result.suppressed_share), limit=say.percent(result.limit)
    )
    report_link = link(f"{RELEASES}/{case.name}/evidence/report.html", say("report"))
    mark = strong(say("the one to give away")) if case == found.chosen else say("alternative")
    return [
        *asked,
        *_levels(found, report["levels"].values(), say),
        say.fixed(report["metrics"]["precision"], ".4f"),
        say.fixed(report["classes"]["average"], ",.2f"),
        say.number(report["classes"]["count"]),
        lines(say.number(report["suppressed"]), share),
        lines(link(found.file(case)), Markup("{} · {}").format(mark, report_link)),
    ]


def _not_achieved(case: GuideCase, say: Speech, more: str = "") -> Markup:
    """What the guide says of a case without a release."""
    sentence = (
        say("Could not achieve {k}-anonymity", k=case.k)
        if case.l is None
        else say("Could not achieve {k}-anonymity with {l}-diversity", k=case.k, l=case.l)
    )
    return verdict(sentence, holds=False, more=more)


def show_unsuppressed(found: Guide, say: Speech) -> PageSection:
    """The guide's own case: the lattice with nothing suppressed."""
    solved = sum(trial.solved for _, trial in found.unsuppressed)
    lead = say.plural(
        "The guide generalizes and suppresses no record. Then {n} of {cases} cases has a release.",
        "The guide generalizes and suppresses no record. Then {n} of {cases} cases have a release.",
        n=solved,
        cases=len(found.unsuppressed),
    )
    fields = [Field("k", "row"), Field("l"), *_level_fields(found, say)]
    fields += [Field(say("precision"), "num"), Field(say("average class size"), "num"), Field(say("classes"), "num")]
    rows = [_unsuppressed_row(found, case, trial, len(fields), say) for case, trial in found.unsuppressed]
    return PageSection(say("Without suppression"), lead, [table(fields, rows), *_nodes(found, say)])


def _unsuppressed_row(found: Guide, case: GuideCase, trial: ReleaseTrial, width: int, say: Speech) -> Row:
    asked = [str(case.k), "–" if case.l is None else str(case.l)]
    if trial.levels is None:
        return [*asked, Cell(_not_achieved(case, say), "why", width - 2)]
    return [
        *asked,
        *_levels(found, trial.levels.values(), say),
        say.fixed(trial.value or 0.0, ".4f"),
        say.fixed(found.records / trial.classes, ",.2f"),
        say.number(trial.classes),
    ]


def _nodes(found: Guide, say: Speech) -> list[Markup]:
    """Why: the smallest class and the fewest values at every node."""
    fields = [*_level_fields(found, say), Field(say("classes"), "num"), Field(say("smallest class"), "num")]
    fields += [Field(say("fewest distinct values"), "num")] if found.sensitive else []
    rows: list[Row] = [
        [
            *_levels(found, node.levels, say),
            say.number(node.classes),
            say.number(node.smallest),
            *([] if node.fewest is None else [say.number(node.fewest)]),
        ]
        for node in found.nodes
    ]
    why = (
        say("Every node of the lattice. One with a smallest class of at least k is k-anonymous.")
        if len(found.nodes) > 1
        else say("The coarsest node of the lattice: no other has larger classes.")
    )
    return [Markup('<p class="lead" style="margin-top:1.4rem">{}</p>').format(why), table(fields, rows)]

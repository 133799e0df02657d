"""The report as one self-contained HTML file: without scripts, fonts or pictures from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from markupsafe import Markup

from cobogo.examine.metrics import METRICS
from cobogo.floor.language import NOTHING, Speech, Text, speech, tr
from cobogo.tell.report.content import Content, has_levels, plots_of, steps
from cobogo.tell.report.exposure import inferred
from cobogo.tell.report.labels import (
    KEY,
    KEY_WHY,
    KIND,
    RISK,
    RISK_WHY,
    ROLE,
    SIZES,
    SIZES_WHY,
    STAGE,
    describe_way,
    metric_meaning,
    metric_name,
    model_meaning,
    model_name,
)
from cobogo.tell.report.page import environment, printable, short

ASKED = {
    "nodes": Text("{n} possible combination of levels", "{n} possible combinations of levels"),
    "checked": Text("{n} checked", "{n} checked"),
}

COLUMNS = 8  # quasi-identifiers that get a column of their own in the table of solutions

Row = dict[str, Any]


def render(content: Content, plots: Mapping[str, str], *, language: str) -> str:
    """Render the page; ``plots`` holds the SVGs by their stems (`content.plots_of`), or some of them."""
    say = speech(language)
    summary = content.summary
    page = (
        environment()
        .get_template("report.html.j2")
        .render(
            say=say,
            content=content,
            summary=summary,
            verdict=_verdict(content, say),
            keys=_key_figures(content, say),
            warnings=list(dict.fromkeys([*content.warnings, *summary.get("warnings", ())])),
            asked=_policy_rows(content, say),
            models=_models(content, say),
            levels=has_levels(content),
            shares=any(story.shares for story in content.attributes),
            attributes=_attributes(content, say),
            cost=_cost(content, say),
            risks=_risks(content, say),
            separations=_separations(content, say),
            inferences=_inferences(content, say),
            sizes=_sizes(content, say),
            metrics=_metrics(content, say),
            utilities=utility_rows(summary.get("utility", {}), say),
            solutions=_solutions(content, say),
            metric=metric_name(content.metric, say),
            seconds={say(STAGE.get(stage, stage)): value for stage, value in summary.get("seconds", {}).items()},
            figures=_figures(content, plots),
            undrawn=len(content.quasi_identifiers) - sum(plot.kind == "distribution" for plot in plots_of(content)),
        )
    )
    return printable(page)


def _figures(content: Content, plots: Mapping[str, str]) -> dict[str, list[Row]]:
    """The plots of each kind."""
    figures: dict[str, list[Row]] = {}
    for plot in plots_of(content):
        if plot.stem in plots:
            figures.setdefault(plot.kind, []).append({"attribute": plot.attribute, "drawn": Markup(plots[plot.stem])})
    return figures


def _verdict(content: Content, say: Speech) -> Row:
    smallest = int(content.class_sizes.min())
    models = content.summary.get("models", [])
    failed = sum(not model.get("satisfied") for model in models)
    alike = (
        say.plural(
            "Every released record looks like at least {n} other.",
            "Every released record looks like at least {n} others.",
            n=smallest - 1,
        )
        if smallest > 1
        else say("Some released records are alone in their class, so nothing hides them.")
    )
    if not models:
        return {
            "holds": False,
            "k": smallest,
            "alike": alike,
            "sentence": say("The policy asks for no privacy model, so nothing is promised."),
            "caution": "",
        }
    if failed:
        # The verb follows the number of those that fail, the noun the number of all.
        sentence = say(
            tr("{failed} of {all} models is not satisfied. Do not give this release away.")
            if failed == 1
            else tr("{failed} of {all} models are not satisfied. Do not give this release away."),
            failed=failed,
            all=len(models),
        )
    else:
        sentence = say.plural("The model is satisfied.", "The {n} models are satisfied.", n=len(models))
    return {"holds": not failed, "k": smallest, "alike": alike, "sentence": sentence, "caution": _caution(content, say)}


def _caution(content: Content, say: Speech) -> str:
    """What the models allow and the reader should know: values that can be inferred without finding a record."""
    found = [story for story in content.sensitive if inferred(after=story.worst_after, baseline=story.baseline)]
    if not found:
        return ""
    worst, *others = sorted(found, key=lambda story: story.baseline - story.worst_after)
    first = say(
        "But a sensitive value can be inferred: in one class an attacker guesses “{attribute}” with probability "
        "{share}, where anybody guesses it with {baseline}.",
        attribute=worst.called,
        share=say.percent(worst.worst_after),
        baseline=say.percent(worst.baseline),
    )
    more = "; ".join(
        say(
            "“{attribute}” with {share} ({baseline})",
            attribute=story.called,
            share=say.percent(story.worst_after),
            baseline=say.percent(story.baseline),
        )
        for story in others
    )
    told = [first, *([say("Likewise {attributes}.", attributes=more)] if more else [])]
    if content.counts_people:
        told.append(
            say("A person with several records can have several values: the guess is right if it is one of them.")
        )
    return " ".join(told)


def _key_figures(content: Content, say: Speech) -> list[Row]:
    records, suppressed = content.summary["records"], content.summary["suppressed"]
    share = suppressed / records if records else 0.0
    classes = _classes(content)
    figures = [
        ("records", say.number(records), {}),
        ("released", say.number(records - suppressed), {"share": say.percent(1 - share)}),
        ("suppressed" if suppressed else "unsuppressed", say.number(suppressed), {"share": say.percent(share)}),
        *(
            (
                "withheld",
                say.number(found["records"]),
                {"attribute": name, "inference": say.percent(found["inference"])},
            )
            for name, found in content.summary.get("withheld", {}).items()
        ),
        ("classes", say.number(classes["count"]), {"average": say.number(classes["average"], 3)}),
        ("risk", _change(say, say.percent(content.risk_before.highest), say.percent(content.risk_after.highest)), {}),
    ]
    if content.sensitive:
        worst = max(content.sensitive, key=lambda story: story.worst_after)
        change = _change(say, say.percent(worst.worst_before), say.percent(worst.worst_after))
        figures.append(("inference", change, {"attribute": worst.name}))
    return [
        {"name": say(KEY[key]), "value": value, "why": say(KEY_WHY[key], **values)} for key, value, values in figures
    ]


def _change(say: Speech, before: str, after: str) -> str:
    return say("{before} → {after}", before=before, after=after)


def describe_model(model: Mapping[str, Any], say: Speech) -> str:
    """A model and its parameters: ``l-diversity on “ill”: l = 3 (distinct values)``."""
    return f"{_model_name(model, say)}: {_parameters(model, say)}"


def _model_name(model: Mapping[str, Any], say: Speech) -> str:
    name = model_name(str(model.get("model")), say)
    return say("{model} on “{attribute}”", model=name, attribute=model["attribute"]) if model.get("attribute") else name


def _parameters(model: Mapping[str, Any], say: Speech) -> str:
    """The parameters of a model: ``l = 3 (distinct values)``."""
    aside = ("model", "attribute", "satisfied", "measured")
    given = {name: value for name, value in model.items() if name not in aside and value is not None}
    numbers = [f"{name} = {say.show(value)}" for name, value in given.items() if not isinstance(value, str)]
    kinds = [say(KIND.get(value, value)) for value in given.values() if isinstance(value, str)]
    return ", ".join(numbers) + (f" ({', '.join(kinds)})" if kinds else "")


def _policy_rows(content: Content, say: Speech) -> list[Row]:
    """The policy as rows: name, values and an explanation."""
    search, policy = content.summary.get("search", {}), content.summary.get("policy", {})
    models = [describe_model(model, say) for model in content.summary.get("models", [])]
    rows: list[Row] = [{"name": say("Models"), "values": models, "why": ""}] if models else []
    if "algorithm" in search:
        proof = say(
            tr("the best full-domain recoding, proven: no other choice of levels loses less")
            if search.get("optimal")
            else tr("the best solution that was found; not proven to be the best")
        )
        if not search.get("optimal") and search.get("gap") is not None:
            proof = say(
                "the best solution that was found; at most {share} worse than the best possible",
                share=say.percent(search["gap"]),
            )
        counts = [say(ASKED[key], n=search[key]) for key in ("nodes", "checked") if search.get(key) is not None]
        rows.append({"name": say("Algorithm"), "values": [search["algorithm"]], "why": "; ".join([proof, *counts])})
    metric = metric_name(content.metric, say)
    rows.append({"name": say("Metric"), "values": [metric], "why": metric_meaning(content.metric, say)})
    limit = policy.get("suppression_limit", policy.get("suppression-limit"))
    if limit is not None:
        rows.append(
            {
                "name": say("Suppression limit"),
                "values": [say.percent(limit)],
                "why": say("at most this share of the records may be left out"),
            }
        )
    return rows


def _models(content: Content, say: Speech) -> list[Row]:
    return [
        {
            "name": _model_name(model, say),
            "asked": _parameters(model, say),
            "measured": say.show(model.get("measured")),
            "satisfied": bool(model.get("satisfied")),
            "means": model_meaning(model.get("model"), say),
        }
        for model in content.summary.get("models", [])
    ]


def _attributes(content: Content, say: Speech) -> list[Row]:
    rows = []
    for story in content.attributes:
        known = steps(story, say) if story.level is not None else tuple(map(say.label, story.levels))
        before, after = say.number(story.distinct_before), say.number(story.distinct_after)
        rows.append(
            {
                "name": story.name,
                "title": story.title,
                "role": say(ROLE.get(story.role, story.role)),
                "level": story.level,
                "shares": [
                    say("{level}: {share}", level=level, share=say.percent(share))
                    for level, share in enumerate(story.shares)
                    if share
                ],
                "height": len(known) - 1,
                "examples": [
                    {"text": text, "released": step == story.level} for step, text in enumerate(known) if text
                ],
                "distinct": NOTHING
                if before == after == NOTHING
                else before
                if before == after
                else _change(say, before, after),
            }
        )
    return rows


GROUPS = 10  # hit by suppression: those that the page names


def _cost(content: Content, say: Speech) -> Row | None:
    """What each column keeps, whom suppression hit, and what would keep more."""
    cost = content.cost
    if cost is None:
        return None
    return {
        "details": [
            {
                "name": one.name,
                "kept": one.kept,
                "why": say("withheld: the same value in every record")
                if one.withheld
                else say("nearly withheld")
                if one.nearly_withheld
                else "",
            }
            for one in cost.details
        ],
        "groups": [
            {
                "name": group.attribute,
                "value": say.label(group.value),
                "records": say.number(group.records),
                "lost": f"{say.number(group.lost)} ({say.percent(group.lost / group.records)})",
                "why": say("removed whole") if group.whole else "",
            }
            for group in cost.groups[:GROUPS]
        ],
        "more": max(len(cost.groups) - GROUPS, 0),
        "share": say.percent(content.summary["suppressed"] / max(content.summary["records"], 1)),
        "ways": [
            {"key": way.key, "what": say(way.what), "told": describe_way(way, cost.kept, say)} for way in content.ways
        ],
    }


def _risks(content: Content, say: Speech) -> list[Row]:
    before, after = asdict(content.risk_before), asdict(content.risk_after)
    threshold = say.percent(content.threshold)
    return [
        {
            "name": say(RISK[key], threshold=threshold),
            "before": before[key],
            "after": after[key],
            "why": say(RISK_WHY[key], threshold=threshold),
        }
        for key in before
        if before[key] is not None and after[key] is not None
    ]


def _separations(content: Content, say: Speech) -> list[Row]:
    return [
        {"name": one.name or say("all together"), "before": one.before, "after": one.after, "why": ""}
        for one in content.separations
    ]


def _inferences(content: Content, say: Speech) -> list[Row]:
    return [
        {
            "name": story.name,
            "before": story.worst_before,
            "after": story.worst_after,
            "why": say("In at least one class all people have the same value: an attacker knows it for certain.")
            if story.worst_after >= 1
            else say(
                "In the worst class, {share} of the records have the same value; in the whole release, {baseline}.",
                share=say.percent(story.worst_after),
                baseline=say.percent(story.baseline),
            ),
        }
        for story in content.sensitive
    ]


def _classes(content: Content) -> Mapping[str, Any]:
    """Figures of the kept classes; starred records form a class of the release that is not one of them."""
    sizes = content.class_sizes
    measured = {"min": int(sizes.min()), "average": sizes.mean(), "max": int(sizes.max()), "count": len(sizes)}
    return measured | dict(content.summary.get("classes", {}))


def _sizes(content: Content, say: Speech) -> list[Row]:
    classes = _classes(content)
    return [
        {"name": say(SIZES[key]), "value": say.number(classes[key], 3), "why": say(SIZES_WHY[key])}
        for key in ("min", "average", "max", "count")
    ]


def _metrics(content: Content, say: Speech) -> list[Row]:
    """All metrics, the one that steered the search first."""
    measured = content.summary.get("metrics", {})
    return [
        {
            "name": metric_name(name, say),
            "value": say.number(measured[name]),
            "chosen": name == content.metric,
            "better": say(tr("higher") if METRICS[name].maximize else tr("lower")) if name in METRICS else NOTHING,
            "means": metric_meaning(name, say),
        }
        for name in sorted(measured, key=lambda name: name != content.metric)
    ]


def _solutions(content: Content, say: Speech) -> Row:
    """The table of the chosen solution and the runners-up; many attributes share one column."""
    summary, names = content.summary, content.quasi_identifiers
    measured = summary.get("metrics", {}).get(content.metric)
    chosen = (summary.get("levels", {}), measured, summary["suppressed"], _classes(content)["count"])
    others = [(other.levels, other.value, other.suppressed, other.classes) for other in content.runners_up]
    all_values = say.column([value for _, value, _, _ in [chosen, *others]])
    rows = []
    for (levels, _, suppressed, classes), value in zip([chosen, *others], all_values, strict=True):
        cells = [say.number(levels.get(name)) for name in names]
        rows.append(
            {
                "levels": cells if len(names) <= COLUMNS else [", ".join(cells)],
                "value": value,
                "suppressed": say.number(suppressed),
                "classes": say.number(classes),
            }
        )
    headings = [short(name) for name in names]
    together = say("levels ({names})", names=", ".join(headings))
    return {"names": headings if len(names) <= COLUMNS else [together], "rows": rows if others else []}


def utility_rows(measured: Mapping[str, Any], say: Speech) -> list[Row]:
    """The rows of the utility measures: name, value on the original and on the release, and an explanation.

    ``measured`` is what `cobogo.examine.utility.measure_utility` returns.
    """
    return [
        *_queries(measured, say),
        *_accuracy(measured, say),
        *_association(measured, say),
        *_marginal(measured, say),
    ]


def _row(name: str, before: str, after: str, why: str) -> Row:
    return {"name": name, "before": before, "after": after, "why": why}


def _queries(measured: Mapping[str, Any], say: Speech) -> Iterator[Row]:
    found = measured.get("query-error")
    if found:
        lower, upper = map(say.percent, found["quartiles"])
        why = say(
            "Of {queries} random counting queries answered from the release, half are wrong by at most this "
            "much, and the middle half by {lower} to {upper}.",
            queries=found["queries"],
            lower=lower,
            upper=upper,
        )
        yield _row(say("error of counting queries"), say.percent(0), say.percent(found["median"]), why)


def _accuracy(measured: Mapping[str, Any], say: Speech) -> Iterator[Row]:
    found = measured.get("accuracy")
    if found:
        baseline = say.percent(found["baseline"])
        why = say(
            "The share of correct predictions for {held_out} that were not used for learning. Always predicting "
            "the most frequent value: {baseline}.",
            held_out=say.plural("{n} record", "{n} records", n=found["held_out"]),
            baseline=baseline,
        )
        for model, accuracy in found["models"].items():
            name = say("“{label}” predicted by {model}", label=found["label"], model=say(KIND.get(model, model)))
            yield _row(name, say.percent(accuracy["original"]), say.percent(accuracy["release"]), why)


def _association(measured: Mapping[str, Any], say: Speech) -> Iterator[Row]:
    pairs = measured.get("association-distance", {}).get("pairs")
    if pairs:
        mean = say.number(measured["association-distance"]["mean"], 3)
        worst = pairs[0]
        one, other = worst["attributes"]
        why = say(
            "The pair that changed most, of {pairs}: 0 is no association, 1 the strongest possible (Cramér’s V). "
            "The mean change is {mean}.",
            mean=mean,
            pairs=len(pairs),
        )
        name = say("association of “{one}” and “{other}”", one=one, other=other)
        yield _row(name, say.number(worst["before"], 3), say.number(worst["after"], 3), why)


def _marginal(measured: Mapping[str, Any], say: Speech) -> Iterator[Row]:
    distances = measured.get("marginal-distance")
    if distances:
        worst = max(distances, key=lambda name: distances[name])
        name = say("change of the distribution of “{attribute}”", attribute=worst)
        yield _row(
            name,
            say.percent(0),
            say.percent(distances[worst]),
            say(
                "The attribute whose distribution changed most: the share of the records that would need another "
                "value to undo the change."
            ),
        )

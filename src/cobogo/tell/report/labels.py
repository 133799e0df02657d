"""What reports, plots and pages call the same things."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cobogo.floor.language import Speech, tr

if TYPE_CHECKING:
    from cobogo.floor.catalogue import Card, Registry
    from cobogo.tell.report.content import Way

KEY_WHY = {
    "records": tr("in the original table"),
    "released": tr("{share} of the records"),
    "suppressed": tr("{share} of the records; their classes did not satisfy the models"),
    "unsuppressed": tr("no record was left out"),
    "withheld": tr(
        "records that show * for “{attribute}”; an attacker who knows the totals of the column guesses the value "
        "with probability {inference}"
    ),
    "classes": tr("groups of records with the same quasi-identifiers; {average} records each, on average"),
    "risk": tr("probability of finding the record of the person at the highest risk"),
    "inference": tr("probability of guessing “{attribute}” correctly in the most revealing class"),
}

KEY = {
    "records": tr("records"),
    "released": tr("released records"),
    "suppressed": tr("suppressed records"),
    "unsuppressed": tr("suppressed records"),
    "withheld": tr("values withheld"),
    "classes": tr("classes"),
    "risk": tr("highest risk"),
    "inference": tr("worst inference"),
}

RISK = {
    "highest": tr("highest risk"),
    "average": tr("average risk"),
    "over": tr("people with a risk above {threshold}"),
    "unique": tr("unique people"),
    "journalist": tr("highest, for an attacker who does not know who is in the table"),
    "marketer": tr("share of all people who are found"),
    "population": tr("people who are unique in the population"),
}

RISK_WHY = {
    "highest": tr("One divided by the size of the smallest class: the person at the highest risk."),
    "average": tr("The number of classes divided by the number of records: the risk of a record taken at random."),
    "over": tr("The share of the people whose risk is above {threshold}, because their classes are small."),
    "unique": tr("The share of the people whose combination of quasi-identifiers no other person in the table has."),
    "journalist": tr("An estimate from the size of the population: people like this person may be outside the table."),
    "marketer": tr("An estimate for an attacker who guesses a person of the population for every record."),
    "population": tr("An estimate, as a share of the population, with the model that Dankar’s rule chooses."),
}

SIZES = {
    "min": tr("smallest class"),
    "average": tr("average class size"),
    "max": tr("largest class"),
    "count": tr("classes"),
}

SIZES_WHY = {
    "min": tr("This is the k of the release."),
    "average": tr("Released records divided by the number of classes."),
    "max": tr("Very large classes hide people well and say little about the data."),
    "count": tr("More classes say more about the data."),
}

ROLE = {
    "identifier": tr("identifier: removed"),
    "quasi-identifier": tr("quasi-identifier"),
    "sensitive": tr("sensitive"),
    "non-sensitive": tr("non-sensitive: unchanged"),
}

STAGE = {
    "read": tr("reading the data"),
    "search": tr("searching"),
    "apply": tr("recoding"),
    "verify": tr("verifying"),
    "write": tr("writing"),
    "report": tr("reporting"),
}

KIND = {
    "distinct": tr("distinct values"),
    "logistic-regression": tr("logistic regression"),
    "decision-tree": tr("a decision tree"),
    "naive-bayes": tr("naive Bayes"),
}

FIGURE = {
    "squared_error": tr("squared error"),
    "marginal_divergence": tr("marginal divergence"),
    "reconstruction_error": tr("reconstruction error"),
}

FIGURE_WHY = {
    "squared_error": tr(
        "How much of the differences between values was lost by replacing them with the values of a group: 0 is "
        "nothing, 1 is a single group."
    ),
    "marginal_divergence": tr(
        "How much the table that the marginals describe differs from the original, in nats: 0 if they say everything."
    ),
    "reconstruction_error": tr(
        "The average error of taking the shares of a bucket for the values of its records: 0 is no error."
    ),
}
"""Figures of some algorithms that cannot be asked for by name, so that they have no card."""


def model_name(model: str, say: Speech) -> str:
    """What a model is called; the name that the policy gives it where it has no card.

    >>> from cobogo.floor.language import speech
    >>> model_name("k-anonymity", speech("pt-BR")), model_name("new-model", speech("pt-BR"))
    ('k-anonimato', 'new-model')
    """
    card = _model_card(model)
    return model if card is None else say(card.title)


def model_meaning(model: str, say: Speech) -> str:
    """What a model means, for a reader who is new to the field."""
    card = _model_card(model)
    return "" if card is None else say(card.plain)


def describe_way(way: Way, now: float, say: Speech) -> str:
    """What a change would keep, compared with what is kept now."""
    if way.kept is None:
        return say("usually keeps more detail; `cobogo improve` says how much")
    figures = {"kept": say.percent(way.kept), "now": say.percent(now)}
    if way.column:
        told = tr("keeps about {own} of {column} instead of {before}, and {kept} of all detail instead of {now}")
        figures |= {"column": way.column, "own": say.percent(way.column_kept), "before": say.percent(way.column_now)}
        return say(told, **figures)
    if way.about:
        return say("keeps about {kept} of the detail instead of {now}", **figures)
    told = tr("keeps {kept} of the detail instead of {now}")
    return say(told if way.exact else tr("keeps at least {kept} of the detail instead of {now}"), **figures)


def metric_name(metric: str, say: Speech) -> str:
    """What a metric is called."""
    card = _metric_card(metric)
    return say(FIGURE.get(metric, metric) if card is None else card.title)


def metric_meaning(metric: str, say: Speech) -> str:
    """What a metric means, for a reader who is new to the field."""
    card = _metric_card(metric)
    return say(FIGURE_WHY.get(metric, "") if card is None else card.plain)


def _model_card(name: str) -> Card | None:
    from cobogo.promises.guarantees import PROMISES

    return _card(PROMISES, name)


def _metric_card(name: str) -> Card | None:
    from cobogo.examine.metrics import METRICS

    return _card(METRICS, name)


def _card(registry: Registry[Any], name: str) -> Card | None:
    return registry.card(name) if name in registry else None

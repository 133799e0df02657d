"""What reports call things, in every language; numbers and shares the way of the language."""

from __future__ import annotations

import pytest

from cobogo.data.policy import Role
from cobogo.examine.metrics import AGGREGATED, BUCKETED, MARGINALIZED, METRICS
from cobogo.floor.language import LANGUAGES, speech
from cobogo.promises.guarantees import PROMISES
from cobogo.tell.report.labels import FIGURE, FIGURE_WHY, ROLE, metric_meaning, metric_name, model_meaning, model_name


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_model_metric_and_role_has_a_name_and_a_meaning(language: str) -> None:
    say = speech(language)
    assert [name for name in PROMISES if not model_name(name, say) or not model_meaning(name, say)] == []
    measured = (*METRICS, AGGREGATED, BUCKETED, MARGINALIZED)
    assert [name for name in measured if not metric_name(name, say) or not metric_meaning(name, say)] == []
    assert [role for role in Role if str(role) not in ROLE] == []


def test_models_metrics_and_roles_have_their_names_and_meanings_in_portuguese() -> None:
    say = speech("pt-BR")
    cards = [*PROMISES.cards().values(), *METRICS.cards().values()]
    texts = [text for card in cards for text in (card.title, card.plain)]
    texts += [*FIGURE.values(), *FIGURE_WHY.values(), *ROLE.values()]
    untranslated = [text for text in texts if say(text) == text]
    assert untranslated == [text for text in untranslated if " " not in text], "only names may be the same in both"


def test_values_of_the_data_are_never_taken_for_places_to_fill() -> None:
    text = speech("en")("{model} on “{attribute}”", model="{n}", attribute="{0.__class__}")
    assert text == "{n} on “{0.__class__}”"


@pytest.mark.parametrize(
    ("value", "english", "portuguese"),
    [
        (0, "0", "0"),
        (1234567, "1,234,567", "1.234.567"),
        (-1234.5, "-1,234.5", "-1.234,5"),
        (0.000012345, "0.00001234", "0,00001234"),
        (float("nan"), "–", "–"),
        (float("inf"), "∞", "∞"),
    ],
)
def test_numbers_are_written_the_way_of_the_language(value: float, english: str, portuguese: str) -> None:
    assert speech("en").number(value) == english
    assert speech("pt-BR").number(value) == portuguese


@pytest.mark.parametrize("share", [1e-12, 1e-6, 0.00049, 0.9996, 0.999999999])
def test_a_percentage_never_claims_nothing_or_everything(share: float) -> None:
    assert speech("en").percent(share) not in ("0%", "100%")
    assert "," in speech("pt-BR").percent(share)


def test_one_is_singular() -> None:
    for language, one, many in (("en", "1 record", "0 records"), ("pt-BR", "1 registro", "0 registros")):
        say = speech(language)
        assert [say.plural("{n} record", "{n} records", n=number) for number in (1, 0)] == [one, many]

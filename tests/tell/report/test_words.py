"""Both languages say everything, and nothing is said that no text exists for."""

from __future__ import annotations

import re
import string
from pathlib import Path
from typing import Any

import pytest
from cobogo.tell.report.words import TEXTS, words

import cobogo.tell.report
from cobogo.data.policy import Role
from cobogo.examine.metrics import AGGREGATED, BUCKETED, MARGINALIZED, METRICS, REPORTED
from cobogo.floor.catalogue import Registry
from cobogo.promises.models import MODELS
from cobogo.promises.registry import PROMISES

REPORT = Path(cobogo.tell.report.__file__).parent
FROM_NAMES = (
    "role",
    "metric",
    "model",
    "kind",
    "stage",
    "holds",
)  # texts found by the name of a thing, through `Words.name`


def fields(text: str) -> set[str]:
    return {name for form in text.split("|") for _, name, _, _ in string.Formatter().parse(form) if name}


def sources() -> str:
    code = [*REPORT.glob("*.py"), *REPORT.glob("templates/*.j2")]
    rooms = ("release", "publish", "answer", "locate", "studies")
    tellers = [path for room in rooms for path in (REPORT.parents[1] / room).rglob("*.py")]
    lists = ("english", "portuguese")
    return "\n".join(
        path.read_text(encoding="utf-8")
        for path in [*code, *tellers]
        if path.stem not in lists and not path.stem.endswith("_words")
    )


def test_both_languages_have_the_same_keys() -> None:
    assert set(TEXTS["en"]) == set(TEXTS["pt-BR"])


@pytest.mark.parametrize("key", TEXTS["en"])
def test_both_languages_take_the_same_values_and_have_as_many_forms(key: str) -> None:
    english, portuguese = TEXTS["en"][key], TEXTS["pt-BR"][key]
    assert fields(english) == fields(portuguese)
    assert english.count("|") == portuguese.count("|") <= 1
    assert "|" not in english or "n" in fields(english), "the form is chosen by n"


def test_templates_and_plots_use_only_keys_that_exist() -> None:
    used = set(re.findall(r"""say\(\s*["']([^"'{]+)["']""", sources()))
    used |= set(re.findall(r'"([\w.]+)" if [^"]+ else "[\w.]+"\)', sources())) & set(TEXTS["en"])
    assert len(used) > 100
    assert used <= set(TEXTS["en"])


def test_no_text_is_left_that_nothing_uses() -> None:
    code = re.sub(r"say\('([\w.-]+)'", r'say("\1"', sources())  # a key within an f-string
    made = re.findall(r'f"([\w.]+\.)\{', code)  # keys that begin with a text and end with a name
    named = {*FROM_NAMES, *re.findall(r'\bname\("(\w+)", ', code)}
    dynamic = ("key.", "risk.", "sizes.", "demo.", *made, *(f"{kind}." for kind in named))
    assert [key for key in TEXTS["en"] if f'"{key}"' not in code and not key.startswith((*dynamic, "asked."))] == []


@pytest.mark.parametrize("language", TEXTS)
def test_every_model_metric_and_role_has_words(language: str) -> None:
    texts, say = TEXTS[language], words(language)
    assert [name for name in MODELS if not say.name("model", name) or not say.means("model", name)] == []
    assert [name for name in METRICS if not say.name("metric", name) or not say.means("metric", name)] == []
    assert [
        name for name in (AGGREGATED, BUCKETED) if f"metric.{name}" not in texts or f"metric.{name}.means" not in texts
    ] == []
    assert [role for role in Role if f"role.{role}" not in texts] == []


@pytest.mark.parametrize(("kind", "registry"), [("model", PROMISES), ("metric", METRICS)])
def test_what_has_words_in_one_language_has_them_in_both_and_is_there(kind: str, registry: Registry[Any]) -> None:
    """Words of a model or a metric may be left to its card; a translation is of both words or of none."""
    own = {AGGREGATED, BUCKETED, MARGINALIZED}
    for texts in TEXTS.values():
        named = {key.split(".")[1] for key in texts if key.startswith(f"{kind}.")} - own
        assert named <= registry.keys() | REPORTED.keys()
        assert [name for name in named if (f"{kind}.{name}" in texts) != (f"{kind}.{name}.means" in texts)] == []


def test_an_unknown_language_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"must be one of en, pt-BR\. Got 'fr' instead"):
        words("fr")


def test_values_of_the_data_are_never_taken_for_places_to_fill() -> None:
    assert words("en")("on", model="{n}", attribute="{0.__class__}") == "{n} on “{0.__class__}”"


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
    assert words("en").number(value) == english
    assert words("pt-BR").number(value) == portuguese


@pytest.mark.parametrize("share", [1e-12, 1e-6, 0.00049, 0.9996, 0.999999999])
def test_a_percentage_never_claims_nothing_or_everything(share: float) -> None:
    assert words("en").percent(share) not in ("0%", "100%")
    assert "," in words("pt-BR").percent(share)


def test_one_is_singular() -> None:
    for language, one, many in (("en", "1 record", "0 records"), ("pt-BR", "1 registro", "0 registros")):
        assert (words(language)("records", n=1), words(language)("records", n=0)) == (one, many)

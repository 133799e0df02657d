"""What the page of privacy offers: every model there is, with bounds that are the model's own, checked before a run."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cobogo.errors import CobogoError, PolicyError
from cobogo.faces.server.sandbox import confine_policy
from cobogo.faces.workbench.draft import PolicyDraft, check_draft, jobs_of
from cobogo.faces.workbench.pages.privacy.losses import ALGORITHM
from cobogo.faces.workbench.pages.privacy.models import GROUP, GROUP_WHY, PARAMETER
from cobogo.floor.language import preferred_language, speech
from cobogo.promises.guarantees import PROMISES
from cobogo.promises.models.promise import build_promises
from cobogo.publish.recode.algorithms import ALGORITHMS
from cobogo.tell.reference.sections import listing
from cobogo.tell.report.labels import model_meaning, model_name

NAMES = [name for name, _ in listing("models")]


def test_every_model_and_algorithm_is_offered_with_words_in_both_languages() -> None:
    assert sorted(card.name for group in PROMISES.groups().values() for card in group) == sorted(NAMES)
    parameters = {one.name for name in NAMES for one in PROMISES.card(name).parameters()}
    assert sorted(parameters - PARAMETER.keys()) == []
    assert [group for group in PROMISES.groups() if group not in GROUP or group not in GROUP_WHY] == []
    assert [name for name in ALGORITHMS if name not in ALGORITHM] == []
    portuguese = speech("pt-BR")
    for name in NAMES:
        assert all(write(name, say) for write in (model_name, model_meaning) for say in (speech("en"), portuguese))
        assert model_meaning(name, portuguese) != model_meaning(name, speech("en"))
    for table in (PARAMETER, GROUP, GROUP_WHY, ALGORITHM):
        assert [text for text in table.values() if not portuguese.knows(text)] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_model_begins_with_values_that_it_takes_and_its_bounds_are_where_it_refuses(name) -> None:
    card = PROMISES.card(name)
    start = {**card.start, "guard": "wish"} if name == "personalized" else card.start
    assert build_promises([{"model": name, **start}], ["disease"], PROMISES)
    for parameter in card.parameters(start):
        bounds = parameter.bounds
        beyond: list[Any] = []
        if bounds.kind in ("whole", "number"):
            beyond += [] if bounds.least is None else [bounds.least - 1]
            beyond += [] if bounds.above is None else [bounds.above]
            beyond += [] if bounds.most is None else [bounds.most + 1]
            assert beyond or parameter.name not in start, f"{parameter.name} has no bound"
        elif bounds.kind == "choice":
            beyond.append("no such word")
        for value in beyond:
            with pytest.raises(PolicyError):
                build_promises([{"model": name, **start, parameter.name: value}], ["disease"], PROMISES)


def _checked(text: str) -> None:
    policies = SimpleNamespace(
        read=lambda _holder, _dataset, text: confine_policy(text, Path(), owner="me"), files=lambda *_: Path()
    )
    desk: Any = SimpleNamespace(service=SimpleNamespace(policies=policies))
    check_draft(desk, SimpleNamespace(draft=PolicyDraft(text), caller=None), "x")  # type: ignore[arg-type]


COLUMNS = '[attributes]\nage = { role = "quasi-identifier" }\nill = { role = "sensitive" }\n'


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "privacy.models"),
        ('[privacy]\nmodels = [{ model = "k-anonymity", k = 5 }, { model = "l-diversity", l = 0 }]\n', "models[1]"),
        ('[privacy]\nmodels = [{ model = "k-anonymity", k = 5 }]\n[recoding]\nalgorithm = "best"\n', "algorithm"),
        ('[privacy]\nmodels = [{ model = "k-anonymity", k = 5 }]\n[recoding]\nmetric = "beauty"\n', "metric"),
        ('[privacy]\nmodels = [{ model = "k-anonymity", k = 5 }]\n[registry]\ndataset = "a"\n', "registry"),
        ('[privacy]\nmodels = [{ model = "k-anonymity", k = 5 }]\n[output]\ndirectory = "/etc"\n', "output.directory"),
    ],
)  # fmt: skip
def test_what_cannot_run_is_told_at_its_place_before_it_is_run(text, place) -> None:
    with pytest.raises(CobogoError) as told:
        _checked(COLUMNS + text)
    assert str(told.value.where).endswith(place)


def test_what_can_run_runs_as_what_it_is() -> None:
    models = '[privacy]\nmodels = [{ model = "k-anonymity", k = 5 }]\n'
    _checked(COLUMNS + models)
    assert jobs_of(PolicyDraft(COLUMNS + models).content()) == ("anonymize",)
    assert jobs_of({"randomization": {}, "privacy": {"models": [{"model": "delta-growth"}]}}) == ("perturb",)


@pytest.mark.parametrize("text", ["attributes = 3", "[attributes]\nage = 1", "[privacy]\nmodels = 1", "a = 1", "[x"])
def test_a_text_that_forms_could_not_show_changes_nothing(text) -> None:
    draft = PolicyDraft(COLUMNS)
    with pytest.raises(PolicyError):
        draft.take(text)
    assert draft.text == COLUMNS


def test_a_browser_is_greeted_in_its_language() -> None:
    assert preferred_language("pt-PT,pt;q=0.9,en;q=0.8") == "pt-BR"
    assert preferred_language("en-US,en;q=0.9,pt;q=0.8") == "en"
    assert preferred_language("") == preferred_language("*;q=x") == "en"

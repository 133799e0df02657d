"""Nothing that an object shows of itself is a value of the data: notebooks, logs and tickets are kept and shared."""

from __future__ import annotations

import html
import io
import json
import pickle
import traceback
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cobogo as cb
from support.commands import called

pytestmark = pytest.mark.slow

NAMES = [f"zqname{number:02d}" for number in range(26)]
CITIES = ["zqsobral"] * 12 + ["zqcrato"] * 13 + ["zqalone"]
DISEASES = [("zqflu", "zqhiv", "zqgout")[number % 3] for number in range(26)]
PAYS = [str(7_310_000 + 17 * number) for number in range(26)]
TABLE = pa.table({"name": NAMES, "city": CITIES, "pay": PAYS, "disease": DISEASES, "note": ["zqnote"] * 26})
VALUES = {*NAMES, *CITIES, *DISEASES, *PAYS, "zqnote"}
"""None of them is part of any word or figure of ours."""

ROLES = {
    "name": {"role": "identifier"},
    "city": {"role": "quasi-identifier"},
    "pay": {"role": "sensitive"},
    "disease": {"role": "sensitive"},
    "note": {"role": "non-sensitive"},
}
ASKED = [
    {"model": "k-anonymity", "k": 3},
    {"model": "l-diversity", "attribute": "disease", "l": 2},
    {"model": "t-closeness", "attribute": "pay", "t": 0.9, "distance": "ordered"},
]
POLICY = {
    "attributes": ROLES,
    "privacy": {"models": ASKED},
    "recoding": {"suppression-limit": 0.1},
}
LONGEST = 1_000


def reached(thing: Any, seen: set[int], depth: int = 0) -> Iterator[Any]:
    """Every object of ours that is reached from one, through attributes and what they hold."""
    if id(thing) in seen or depth > 12:
        return
    seen.add(id(thing))
    if isinstance(thing, Mapping):
        inner = [*thing.values()]
    elif isinstance(thing, list | tuple | set | frozenset):
        inner = [*thing][:50]
    elif type(thing).__module__.startswith("cobogo"):
        yield thing
        inner = [*getattr(thing, "__dict__", {}).values()]
    else:
        return
    for one in inner:
        yield from reached(one, seen, depth + 1)


def shown(thing: Any) -> list[str]:
    page = getattr(thing, "_repr_html_", None)
    return [repr(thing), str(thing), *([] if page is None else [page() or ""])]


def assert_silent(text: str, whose: str) -> None:
    told = [value for value in VALUES if value in text]
    assert not told, (whose, told[:3], text[:200])


def releases() -> dict[str, Any]:
    local = POLICY | {"recoding": {"algorithm": "local", "suppression-limit": 0.1}}
    buckets = {
        "attributes": ROLES | {"pay": {"role": "non-sensitive", "publish-unique": True}},
        "privacy": {"models": [{"model": "l-diversity", "attribute": "disease", "l": 2}]},
        "recoding": {"algorithm": "anatomy", "suppression-limit": 0.5},
    }
    perturbed = {
        "attributes": ROLES,
        "perturbation": {"steps": [{"method": "swap", "attributes": ["disease"]}]},
    }
    masked = {
        "attributes": ROLES | {"pay": {"role": "non-sensitive", "publish-unique": True}},
        "masking": {"columns": {"name": {"mask": "*"}}},
    }
    return {
        "recoding": cb.anonymize(TABLE, POLICY),
        "local": cb.anonymize(TABLE, local),
        "buckets": cb.anonymize(TABLE, buckets),
        "perturbation": cb.perturb(TABLE, perturbed),
        "mask": cb.mask(TABLE, masked),
        "risk": cb.risk(TABLE, policy=POLICY),
        "policy": cb.Policy.of(POLICY),
        "inspection": cb.inspect(TABLE),
        "frontier": cb.frontier(TABLE, POLICY, vary={"k": [2, 3]}),
        "comparison": cb.compare(TABLE, POLICY, algorithms=["optimal", "datafly"]),
        "exploration": cb.explore(TABLE, POLICY),
        "pickle": pickle.loads(pickle.dumps(cb.anonymize(TABLE, POLICY))),
    }


def test_no_object_of_ours_shows_a_value() -> None:
    for name, found in releases().items():
        objects = list(reached(found, set()))
        assert objects
        for one in objects:
            for text in shown(one):
                whose = f"{name}: {type(one).__module__}.{type(one).__name__}"
                assert_silent(text, whose)
                assert len(text) < 20 * LONGEST, whose  # a picture is longer than words
        assert len(repr(found)) < LONGEST


WORDS = st.text("ζξψйжщ漢字ﬁ<>&'\"%$|", min_size=3, max_size=8).filter(lambda word: word.strip() and '""' not in word)
"""No word or figure of ours is made of these letters."""

NUMBERS = st.integers(10**9, 10**10)


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    words=st.lists(st.tuples(WORDS, WORDS), min_size=12, max_size=12),
    numbers=st.lists(NUMBERS, min_size=12, max_size=12),
    tree=st.lists(WORDS, min_size=2, max_size=4, unique=True),
)
def test_whatever_the_values_are_nothing_shows_one(
    words: list[tuple[str, str]], numbers: list[int], tree: list[str]
) -> None:
    """A notebook keeps what its cells end with: no text of an object has a value of the data or of a hierarchy."""
    names, cities = [first for first, _ in words], [tree[number % len(tree)] for number in range(12)]
    table = pa.table({"name": names, "city": cities, "pay": numbers, "ill": [second for _, second in words]})
    hidden = {*names, *cities, *map(str, numbers), *(second for _, second in words)}
    policy = cb.Policy(
        {
            "name": cb.identifier(),
            "city": cb.quasi(cb.tree({"x": tree}, top=True)),
            "pay": cb.quasi(cb.intervals(10**10, top=True)),
            "ill": cb.sensitive(),
        },
        [cb.KAnonymity(2)],
        recoding={"suppression-limit": 0.5},
    )
    inspected = cb.inspect(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        suggested = inspected.policy()
    release = cb.anonymize(table, policy)
    objects = [inspected, suggested, policy, release, cb.risk(table, policy), cb.attack("homogeneity", release)]
    objects += [*release.policy.attributes.values(), *(one.hierarchy for one in policy.attributes.values())]
    said = "".join(text for one in objects for text in shown(one))
    assert not [value for value in hidden if value in said or html.escape(value) in said]


def test_a_release_and_a_risk_tell_their_figures() -> None:
    release = cb.anonymize(TABLE, POLICY)
    assert "1 of 26 records suppressed" in repr(release)
    assert "k-anonymity (k = 3)" in repr(release)
    page = release._repr_html_()
    assert page.count("<div") == page.count("</div")
    assert "<script" not in page
    assert "26" in repr(cb.risk(TABLE, policy=POLICY))


def test_verdicts_and_findings_are_short(tmp_path: Path) -> None:
    verdict = cb.anonymize(TABLE, POLICY).write(tmp_path / "out")
    assert repr(verdict).startswith("Verdict(holds")
    found, audited = cb.attack("homogeneity", tmp_path / "out"), cb.audit(tmp_path / "out")
    assert "<svg" in audited._repr_html_()
    assert "attacks tried" in repr(audited)
    for one in [*reached(verdict, set()), *reached(found, set()), *reached(audited, set())]:
        for text in shown(one):
            assert_silent(text, type(one).__name__)
    assert len(repr(found)) < LONGEST


WRONG: dict[str, dict[str, Any]] = {
    "no solution": POLICY | {"privacy": {"models": [{"model": "k-anonymity", "k": 99}]}},
    "no order": POLICY
    | {"privacy": {"models": [{"model": "t-closeness", "attribute": "disease", "t": 0.1, "distance": "ordered"}]}},
    "no hierarchy": POLICY
    | {"attributes": ROLES | {"disease": {"role": "sensitive", "hierarchy": {"tree": {"x": ["y"]}}}}},
    "no numbers": POLICY | {"attributes": ROLES | {"disease": {"role": "sensitive", "hierarchy": {"intervals": [10]}}}},
    "no role": POLICY | {"attributes": {k: v for k, v in ROLES.items() if k != "note"}},
    "a unique column": POLICY | {"attributes": ROLES | {"name": {"role": "non-sensitive"}}},
    "a unit that is released": POLICY | {"data": {"unit": "disease"}},
}


@pytest.mark.parametrize("rules", WRONG.values(), ids=WRONG)
def test_errors_and_tracebacks_name_no_identifier_and_no_sensitive_value(rules: dict[str, Any]) -> None:
    hidden = {*NAMES, *DISEASES, *PAYS, "zqalone"}
    try:
        cb.anonymize(TABLE, rules)
    except cb.CobogoError as error:
        text = io.StringIO()
        traceback.print_exception(error, file=text)
        said = text.getvalue() + repr(error)
        assert not [value for value in hidden if value in said]


def test_commands_say_no_value_of_the_data(tmp_path: Path) -> None:
    """Neither as text nor as JSON, neither on the way nor at the end: terminals are logged."""
    lines = [TABLE.column_names, *zip(*TABLE.to_pydict().values(), strict=True)]
    (tmp_path / "t.csv").write_text("".join(",".join(line) + "\n" for line in lines))
    models = ",\n".join("{" + ", ".join(f"{k} = {json.dumps(v)}" for k, v in one.items()) + "}" for one in ASKED)
    roles = "".join(f'{name} = {{ role = "{entry["role"]}" }}\n' for name, entry in ROLES.items())
    (tmp_path / "p.toml").write_text(
        f'[data]\npath = "t.csv"\n[attributes]\n{roles}[privacy]\nmodels = [{models}]\n'
        "[recoding]\nsuppression-limit = 0.1\n"
    )
    for arguments in (
        ("anonymize", "p.toml", "--out", "out"),
        ("anonymize", "p.toml", "--dry-run", "--json"),
        ("verify", "out"),
        ("verify", "out", "--json"),
        ("verify", "out/public"),
        ("risk", "t.csv", "--policy", "p.toml"),
        ("risk", "t.csv", "--policy", "p.toml", "--json"),
        ("inspect", "t.csv"),
        ("inspect", "t.csv", "--json"),
    ):
        said = called(*arguments, cwd=tmp_path)
        assert_silent("".join(said), " ".join(arguments))

"""What is asked of every attack, and what happens when it is given something else than it wants."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.errors import PolicyError
from cobogo.examine.attacks import ATTACKS, Findings, build, open_case
from cobogo.examine.attacks import run as run_attack
from cobogo.faces.cli import console
from cobogo.faces.cli.main import app
from cobogo.tell.reference.sections import listing
from cobogo.testing import check_attack
from support.attack_tables import policy, table
from support.effort import examples

pytestmark = pytest.mark.slow

COLUMNS = "name age city job ill"
PEOPLE = [
    f"secret{n} {20 + n % 7} secretville{n % 2} secretjob{n % 3} secretill{n % 4}" for n in range(24)
]  # fmt: skip
POLICY = """
[data]
path = "people.csv"
[attributes]
name = { role = "identifier" }
age = { role = "quasi-identifier", hierarchy = { intervals = [5, 10], top = true } }
city = { role = "quasi-identifier" }
job = { role = "quasi-identifier" }
ill = { role = "sensitive" }
[privacy]
models = [{ model = "k-anonymity", k = 3 }, { model = "l-diversity", l = 2 }]
[recoding]
algorithm = "ALGORITHM"
"""
QUERIES = "# what was asked\ncount where ill = secretill1\n\ncount where age < 25 and ill = secretill1\n"


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """The command, as its entry point runs it, without touching this process's signals."""
    capsys.readouterr()
    code: Any = 0
    try:
        app(args=[str(word) for word in words])
    except cb.CobogoError as error:
        console.complain(error)
        code = error.exit_code
    except SystemExit as stop:
        code = stop.code or 0
    said = capsys.readouterr()
    return code, said.out, said.err


def written(rows: list[str]) -> str:
    return "\n".join([COLUMNS.replace(" ", ","), *(row.replace(" ", ",").replace("-", "") for row in rows)]) + "\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Releases of one table by several algorithms, the table, another one, and queries."""
    home = tmp_path_factory.mktemp("attacks")
    (home / "people.csv").write_text(written(PEOPLE), encoding="utf-8")
    (home / "others.csv").write_text(written(PEOPLE[::-1][:10]), encoding="utf-8")
    (home / "queries.txt").write_text(QUERIES, encoding="utf-8")
    for algorithm in ("optimal", "local", "anatomy"):
        (home / f"{algorithm}.toml").write_text(POLICY.replace("ALGORITHM", algorithm), encoding="utf-8")
        text = POLICY.replace("ALGORITHM", algorithm)
        if algorithm == "anatomy":
            text = text.replace('{ model = "k-anonymity", k = 3 }, ', "")
            (home / f"{algorithm}.toml").write_text(text, encoding="utf-8")
        cb.anonymize(home / f"{algorithm}.toml").write(home / algorithm)
    return home


ILLNESSES = {"tree": {"some": ["secretill0", "secretill1"], "others": ["secretill2", "secretill3"]}}


def sources(name: str, home: Path) -> list[Any]:
    """As many releases as an attack needs, of a kind that it is made for."""
    if name == "projections":
        return [table("city name", *map(_fields(2, 0), PEOPLE)), table("city ill", *map(_fields(2, 4), PEOPLE))]
    if name in ("tracker", "similarity"):
        return [home / "people.csv"]
    return [home / ("anatomy" if name == "definetti" else "optimal"), home / "local"][: ATTACKS[name].releases[0]]


def _fields(*places: int) -> Callable[[str], str]:
    return lambda row: " ".join(row.split()[place] for place in places)


def inputs(name: str, home: Path) -> dict[str, Any]:
    """All that an attack may be given besides releases."""
    files = {"knowledge": home / "people.csv", "control": home / "others.csv", "queries": home / "queries.txt"}
    given: dict[str, Any] = {key: files[key] for key in ATTACKS[name].needs | ATTACKS[name].uses}
    if name in ("tracker", "similarity"):
        given["policy"] = policy("age city job", {"ill": ILLNESSES})
    return given


@pytest.mark.parametrize("name", ATTACKS)
class TestEveryAttack:
    def test_passes_the_conformance_suite_of_attacks_that_others_add(self, name: str, place: Path) -> None:
        case = open_case(sources(name, place), **inputs(name, place))
        found = check_attack(ATTACKS[name], case, secrets=["secret"])
        assert found.summary
        assert (found.confidence[found.beyond] > 0).all()
        assert len(found.exposed) == len(found.to_dict()["rows"])
        assert not run_attack(build(name, {"threshold": 1}), case).succeeded, "nobody is surer than sure"

    def test_is_listed_and_has_a_default_for_each_option(self, name: str) -> None:
        kind = ATTACKS[name]
        listed = dict(listing("attacks"))[name]
        assert listed.rstrip(".") == " ".join((kind.__doc__ or "").split("\n\n")[0].split()).split(". ")[0].rstrip(".")
        assert all(field.default is not MISSING for field in fields(kind))  # type: ignore[arg-type]

    def test_is_a_command_that_shows_no_values(
        self, name: str, place: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = command(name, place)
        if name == "similarity":  # what has no order cannot be attacked so
            words += ["--attribute", "age"]
        code, said, complaint = run(capsys, *words)
        assert code in (0, 1), complaint
        assert "secret" not in said + complaint
        assert ATTACKS[name].defence in said

    def test_refuses_what_it_cannot_use(self, name: str, place: Path) -> None:
        for options, word in ({"threshold": 7}, "7"), ({"nonsense": 1}, "nonsense"):
            with pytest.raises(PolicyError, match=word):
                build(name, options)
        if ATTACKS[name].needs:
            with pytest.raises(PolicyError, match="the attack needs"):
                run_attack(build(name, {}), open_case(sources(name, place)))


def command(name: str, home: Path) -> list[object]:
    """A command that gives an attack all that it may use, as files."""
    kind = ATTACKS[name]
    releases: list[object] = [home / ("anatomy" if name == "definetti" else "optimal"), home / "local"]
    if name in ("tracker", "projections"):
        releases = [home / "people.csv", home / "others.csv"]
    files = {"knowledge": "people.csv", "control": "others.csv", "queries": "queries.txt"}
    given = [word for key in sorted(kind.needs | kind.uses) for word in (f"--{key}", home / files[key])]
    given += ["--policy", home / "optimal.toml"] if name in ("tracker", "projections", "similarity") else []
    given += ["--attribute", "ill", "--columns", "city"] if name == "projections" else []
    return ["attack", name, *releases[: kind.releases[0]], *given]


def test_the_command_says_what_python_finds(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for threshold, expected in ((0.1, 1), (1, 0)):
        found = cb.attack("record-linkage", place / "optimal", knowledge=place / "people.csv", threshold=threshold)
        words = command("record-linkage", place)
        code, said, _ = run(capsys, *words, "--threshold", threshold, "--json")
        assert json.loads(said) == json.loads(json.dumps(found.to_dict()))
        assert code == expected == int(found.succeeded)


def test_what_was_not_tried_is_no_all_clear(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said, _ = run(capsys, *command("averaging", place), "--json")
    found = json.loads(said)
    assert (found["tried"], found["succeeded"], code) == (False, False, 1)


@pytest.mark.parametrize(
    ("wrong", "word"),
    [(["--threshold", 7], "7"), (["--set", "nonsense=1"], "nonsense"), (["--set", "nonsense"], "nonsense")],
)
def test_the_command_refuses_options_that_an_attack_does_not_have(
    place: Path, capsys: pytest.CaptureFixture[str], wrong: list[object], word: str
) -> None:
    code, _, complaint = run(capsys, *command("record-linkage", place), *wrong)
    assert (code, word in complaint) == (2, True)


def test_the_command_says_what_an_attack_needs(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, complaint = run(capsys, "attack", "record-linkage", place / "optimal")
    assert (code, "needs --" in complaint) == (2, True)


class TestHostileInputs:
    def attack(self, place: Path, capsys: pytest.CaptureFixture[str], knowledge: Path, *more: object) -> Any:
        return run(capsys, "attack", "record-linkage", place / "optimal", "--knowledge", knowledge, *more)

    def test_an_unknown_attack(self, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        code, _, complaint = run(capsys, "attack", "record-linkag", place / "optimal")
        assert (code, 'Did you mean "record-linkage"?' in complaint) == (2, True)

    def test_knowledge_without_any_of_the_columns(
        self, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "k.csv").write_text("nome,idade\nsecret,3\n", encoding="utf-8")
        code, _, complaint = self.attack(place, capsys, tmp_path / "k.csv")
        assert code == 2
        assert "none of the quasi-identifiers" in complaint
        assert "age, city, job" in complaint

    def test_knowledge_without_some_of_the_columns(
        self, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "k.csv").write_text("age;sex\n21;f\n;m\nsecretage;m\n", encoding="utf-8")
        code, said, _ = self.attack(place, capsys, tmp_path / "k.csv", "--json")
        found = json.loads(said)
        assert code == 0
        assert any("lacks city, job" in note for note in found["notes"])
        assert any('1 row of the knowledge has a "age" that is not in the hierarchy' in n for n in found["notes"])
        code, _, complaint = self.attack(place, capsys, tmp_path / "k.csv", "--columns", "age,city")
        assert (code, 'has no column "city"' in complaint) == (2, True)

    @pytest.mark.parametrize("content", [b"", b"age,city,job\n", b"\x00\x01", b"age,age\n1,2\n"])
    def test_knowledge_that_is_no_table(
        self, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
    ) -> None:
        (tmp_path / "k.csv").write_bytes(content)
        assert self.attack(place, capsys, tmp_path / "k.csv")[0] == 2

    def test_other_encodings(self, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        text = "age,city\n21,secretção\n22,secretville0\n"
        (tmp_path / "k.csv").write_bytes(text.encode("latin-1"))
        code, _, complaint = self.attack(place, capsys, tmp_path / "k.csv")
        assert code == 2
        assert "secret" not in complaint
        assert self.attack(place, capsys, tmp_path / "k.csv", "--encoding", "latin-1")[0] == 0
        (tmp_path / "k.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
        assert self.attack(place, capsys, tmp_path / "k.csv")[0] == 0
        assert self.attack(place, capsys, tmp_path / "k.csv", "--encoding", "utf-7")[0] == 2
        assert self.attack(place, capsys, tmp_path / "k.csv", "--separator", "ab")[0] == 2

    def test_files_that_are_not_there(self, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert self.attack(place, capsys, place / "nowhere.csv")[0] == 2
        knowledge = ("--knowledge", place / "people.csv")
        assert run(capsys, "attack", "record-linkage", place / "nowhere", *knowledge)[0] == 2
        assert run(capsys, "attack", "homogeneity", place / "people.csv")[0] == 2  # without roles

    def test_a_release_that_was_tampered_with(
        self, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        import shutil

        shutil.copytree(place / "optimal", tmp_path / "out")
        with (tmp_path / "out" / "public" / "release.csv").open("a", encoding="utf-8") as stream:
            stream.write("20-24,secretville0,secretjob0,secretill0\n")
        code, _, complaint = run(capsys, "attack", "homogeneity", tmp_path / "out")
        assert code == 2
        assert "is not the release that was signed" in complaint
        (tmp_path / "out" / "public" / "manifest.json").write_text("{", encoding="utf-8")
        assert run(capsys, "attack", "homogeneity", tmp_path / "out")[0] == 1

    def test_evidence_that_is_damaged_or_gone(
        self, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        import shutil

        shutil.copytree(place / "optimal", tmp_path / "out")
        (tmp_path / "out" / "evidence" / "evidence.json").write_text("[]", encoding="utf-8")
        knowledge = ("--knowledge", place / "people.csv")
        assert run(capsys, "attack", "record-linkage", tmp_path / "out", *knowledge)[0] == 2
        code, said, _ = run(capsys, "attack", "record-linkage", tmp_path / "out" / "public", *knowledge)
        assert code == 0
        assert "without a policy, how values were made coarser was guessed" in said

    def test_nulls_are_a_value(self) -> None:
        people = table("a b", "- x", "- x", "- y", "1 -")
        found = cb.attack("record-linkage", people, knowledge=people, policy=policy("a b"))
        assert found.confidence.tolist() == [0.5, 0.5, 1.0, 1.0]


@settings(max_examples=examples(50), deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=20),
    st.floats(0, 1),
    st.sampled_from(["confidence", "gain"]),
)
def test_nobody_is_exposed_by_what_was_known_before(pairs: Any, threshold: float, by: Any) -> None:
    sure, before = np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
    rows = np.arange(1, len(pairs) + 1)
    found = Findings("toy", "release", rows, sure, threshold, len(pairs), baseline=before, by=by)
    for row in found.exposed.tolist():
        score = sure[row - 1] - (before[row - 1] if by == "gain" else 0)
        assert score > threshold
        assert sure[row - 1] > before[row - 1]
    assert found.succeeded == bool(len(found.exposed)) == bool(found)
    content = found.to_dict()
    assert json.loads(json.dumps(content, allow_nan=False)) == content


def test_a_long_list_of_rows_is_cut_and_says_so() -> None:
    rows = np.arange(1, 5001)
    found = Findings("toy", "release", rows, np.ones(5000), 0.5, 5000)
    content = found.to_dict()
    assert (content["exposed"], len(content["rows"]), content["rows_left_out"]) == (5000, 1000, 4000)
    assert len(found.exposed) == 5000

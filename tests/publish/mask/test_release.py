"""Masking by policy: what goes out, what does not, and keys between tables."""

import csv
import json
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import cobogo as cb
from cobogo.data.policy import Data
from cobogo.data.schema import forms
from cobogo.data.table.read import read
from cobogo.errors import CobogoError, DataError, PolicyError
from cobogo.faces.cli.main import run
from cobogo.publish.mask.fakes import fake
from cobogo.publish.mask.operators import Dictionary, Shuffled, Substituted
from cobogo.publish.mask.restore import restore
from cobogo.publish.mask.secret import Secret
from cobogo.publish.mask.vault import Vault, VaultKey
from support.paths import ROOT
from support.vaults import emptied

pytestmark = pytest.mark.slow

COLUMNS = ["cpf", "name", "city", "income", "born", "seen", "note"]
ROLES = {
    "cpf": "identifier", "name": "identifier", "city": "quasi-identifier", "income": "sensitive",
    "born": "quasi-identifier", "seen": "non-sensitive", "note": "sensitive",
}  # fmt: skip


def cpf(number: int) -> str:
    base = [int(c) for c in f"{number:09d}"]
    for n in (9, 10):
        rest = sum(base[i] * (n + 1 - i) for i in range(n)) % 11
        base.append(0 if rest < 2 else 11 - rest)
    text = "".join(map(str, base))
    return f"{text[:3]}.{text[3:6]}.{text[6:9]}-{text[9:]}"


def people(count: int = 60) -> list[list[str]]:
    rows = []
    for n in range(count):
        person = n // 2
        born, seen = date(1950 + person, 1 + person % 12, 1 + n % 28), date(2020, 1 + n % 12, 1 + person % 28)
        rows.append([
            cpf(10_000 + 7 * person), f"Pessoa Ção {person}", f"Cidade {n % 5}", f"{1000 + 13.25 * n:.2f}",
            born.strftime("%d/%m/%Y"), seen.strftime("%d/%m/%Y"), f"nota {n}",
        ])  # fmt: skip
    rows.append(["", "", "", "", "", "", ""])
    return rows


def table(directory: Path, rows: list[list[str]], encoding: str = "utf-8", name: str = "people.csv") -> Path:
    with (directory / name).open("w", encoding=encoding, newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    return directory / name


def policy(path: Path, columns: dict[str, Any], **more: Any) -> dict[str, Any]:
    masking = {"columns": columns, **more.pop("masking", {})}
    attributes = {name: {"role": role} for name, role in ROLES.items()}
    return {"data": {"path": str(path), **more.pop("data", {})}, "attributes": attributes, "masking": masking, **more}


def released(directory: Path) -> list[dict[str, str]]:
    with (directory / "public" / "release.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_what_is_masked_and_what_is_left_out(tmp_path: Path) -> None:
    rows = people()
    rules = policy(table(tmp_path, rows), {"cpf": {"fake": "cpf"}, "note": {"null": True}})
    verdict = cb.mask(rules).write(tmp_path / "out")
    assert verdict
    assert cb.verify(tmp_path / "out")
    found = released(tmp_path / "out")
    assert list(found[0]) == ["cpf", "city", "income", "born", "seen", "note"], (
        "an identifier goes out masked or not at all"
    )
    assert len(found) == len(rows)
    assert {row["note"] for row in found} == {""}
    fakes = {row["cpf"] for row in found} - {""}
    assert all(map(forms.cpf, fakes))
    assert len(fakes) == 30
    assert not fakes & {row[0] for row in rows}
    assert sorted(row["income"] for row in found) == sorted(row[3] for row in rows)
    manifest = json.loads((tmp_path / "out" / "public" / "manifest.json").read_bytes())
    assert manifest["kind"] == "masking"
    assert manifest["models"] == []
    for file in (tmp_path / "out" / "public").iterdir():
        assert not any(row[0] in file.read_text(encoding="utf-8") for row in rows if row[0])


def test_no_guarantee_is_claimed_anywhere(tmp_path: Path) -> None:
    cb.mask(policy(table(tmp_path, people()), {"name": {"fake": "name"}})).write(tmp_path / "out")
    for file in ("public/dictionary.md", "evidence/report.json"):
        assert "no formal guarantee" in (tmp_path / "out" / file).read_text(encoding="utf-8")
    assert any("no formal guarantee" in note for note in cb.verify(tmp_path / "out").notes)


def test_intervals_between_a_persons_dates_are_kept(tmp_path: Path) -> None:
    rows = people()
    days = {"days": 30, "format": "%d/%m/%Y", "per": "cpf"}
    rules = policy(table(tmp_path, rows), {"born": days, "seen": days, "name": {"pseudonym": True}})
    cb.mask(rules).write(tmp_path / "out")

    def intervals(records: list[dict[str, str]]) -> list[tuple[str, int]]:
        times = [(r["note"], *(_day(r[name]) for name in ("born", "seen"))) for r in records if r["born"]]
        return sorted((note, seen - born) for note, born, seen in times)

    before = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    after = released(tmp_path / "out")
    assert intervals(before) == intervals(after)
    births = {row["note"]: _day(row["born"]) for row in before if row["born"]}
    moved = [_day(row["born"]) - births[row["note"]] for row in after if row["born"]]
    assert all(0 < abs(shift) <= 30 for shift in moved)
    assert len(set(moved)) > 5


def _day(text: str) -> int:
    day, month, year = map(int, text.split("/"))
    return date(year, month, day).toordinal()


def test_numbers_are_blurred_within_the_share_and_keep_their_decimals(tmp_path: Path) -> None:
    rows = [[row[0], row[1], row[2], row[3].replace(".", ","), *row[4:]] for row in people()]
    rules = policy(table(tmp_path, rows), {"income": {"blur": 0.1}}, data={"decimal": ","})
    cb.mask(rules).write(tmp_path / "out")
    true = {row[6]: float(row[3].replace(",", ".")) for row in rows if row[3]}
    for row in released(tmp_path / "out"):
        if row["income"]:
            assert row["income"][-3] == ","
            assert abs(float(row["income"].replace(",", ".")) / true[row["note"]] - 1) <= 0.1001


def test_shuffling_keeps_the_values_and_moves_every_one(tmp_path: Path) -> None:
    rows = people()
    cb.mask(policy(table(tmp_path, rows), {"income": {"shuffle": True}})).write(tmp_path / "out")
    found = released(tmp_path / "out")
    assert sorted(row["income"] for row in found) == sorted(row[3] for row in rows)
    true = {row[6]: row[3] for row in rows}
    assert not any(true[row["note"]] == row["income"] for row in found)


def test_truncation_masks_and_lists(tmp_path: Path) -> None:
    (tmp_path / "places.txt").write_bytes("Açu\nBelém\nCuiabá\n".encode("latin-1"))
    columns = {
        "cpf": {"mask": "#", "keep-last": 2},
        "name": {"truncate": 3},
        "city": {"list": str(tmp_path / "places.txt")},
        "note": {"list": ["x", "y"], "consistent": False},
    }
    rows = people()
    cb.mask(policy(table(tmp_path, rows), columns)).write(tmp_path / "out")
    found = [row for row in released(tmp_path / "out") if row["cpf"]]
    assert {row["name"] for row in found} == {"Pes"}
    assert all(row["cpf"].startswith("###.###.###-") for row in found)
    assert {row["city"] for row in found} <= {"Açu", "Belém", "Cuiabá"}
    assert {row["note"] for row in found} == {"x", "y"}
    assert len({row["city"] for row in found}) <= 3


def test_latin_1_in_utf_8_out(tmp_path: Path) -> None:
    rows = people(10)
    path = table(tmp_path, rows, encoding="latin-1")
    cb.mask(policy(path, {"name": {"fake": "name"}}, data={"encoding": "latin-1"})).write(tmp_path / "out")
    assert not any("Ção" in row["name"] for row in released(tmp_path / "out"))


def test_a_secret_makes_jobs_agree_and_without_one_they_do_not(tmp_path: Path) -> None:
    path = table(tmp_path, people())
    Secret.create(tmp_path / "secret")

    def fakes(masking: dict[str, str]) -> set[str]:
        return set(cb.mask(policy(path, {"cpf": {"fake": "cpf"}}, masking=masking)).to_pandas()["cpf"].dropna())

    kept = {"secret": str(tmp_path / "secret")}
    assert fakes(kept) == fakes(kept)
    assert fakes({}) != fakes({})


@pytest.mark.parametrize(
    ("columns", "error", "words"),
    [
        ({"income": {"days": 3}}, DataError, "60 values are not dates"),
        ({"name": {"blur": 0.1}}, DataError, "60 values are not numbers"),
        ({"city": {"list": ["a", "b"], "unique": True}}, DataError, "too few substitutes"),
        ({"nothing": {"null": True}}, PolicyError, "do not have this column"),
        ({"cpf": {"fake": "cpf"}, "name": {"fake": "name", "group": "cpf"}}, PolicyError, "another way"),
        ({"cpf": {"fake": "cpf", "null": True}}, PolicyError, "exactly one of the keys"),
        ({"cpf": {"token": "research"}}, PolicyError, "need a vault"),
        ({"cpf": {"encrypt": True}}, PolicyError, "without a secret"),
        ({"cpf": {"fake": "passport"}}, PolicyError, "must be"),
        ({"born": {"days": 3, "per": "who"}}, PolicyError, "no column"),
        ({"city": {"list": "absent.txt"}}, PolicyError, "cannot be read"),
        ({"born": {"days": 3, "format": "%Q"}}, PolicyError, "is not a format of dates without time zone"),
        ({"born": {"days": 3, "format": "%m/%Y"}}, PolicyError, "day, month and year"),
        ({"born": {"days": 3, "format": "%d/%m/%Y %z"}}, PolicyError, "is not a format of dates without time zone"),
    ],
    ids=range(14),
)
def test_what_cannot_be_done(tmp_path: Path, columns: Any, error: type[CobogoError], words: str) -> None:
    with pytest.raises(error, match=words) as refused:
        cb.mask(policy(table(tmp_path, people()), columns)).write(tmp_path / "out")
    assert "Pessoa" not in str(refused.value)
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".out*"))


def test_columns_without_any_value(tmp_path: Path) -> None:
    columns: dict[str, Any] = {
        "cpf": {"fake": "cpf"}, "name": {"list": ["a", "b"], "consistent": False}, "city": {"shuffle": True},
        "income": {"blur": 0.1}, "born": {"days": 2}, "seen": {"truncate": 1}, "note": {"mask": "*"},
    }  # fmt: skip
    rules = policy(table(tmp_path, [["", "", "", "", "", "", ""]] * 3), columns)
    cb.mask(rules).write(tmp_path / "out")
    assert {value for row in released(tmp_path / "out") for value in row.values()} == {""}


def test_times_of_day_stay(tmp_path: Path) -> None:
    rows = [["", "", "", "", "", "2020-02-28 23:59:58.123456", ""]] * 5
    columns = {"seen": {"days": 3, "format": "%Y-%m-%d %H:%M:%S.%f"}}
    cb.mask(policy(table(tmp_path, rows), columns)).write(tmp_path / "out")
    found = {row["seen"] for row in released(tmp_path / "out")}
    assert all(value.endswith(" 23:59:58.123456") and not value.startswith("2020-02-28") for value in found)


def test_invalid_values_become_null_when_asked(tmp_path: Path) -> None:
    rules = policy(table(tmp_path, people()), {"name": {"blur": 0.5, "invalid": "null"}})
    cb.mask(rules).write(tmp_path / "out")
    assert {row["name"] for row in released(tmp_path / "out")} == {""}


def test_a_forged_value_fails_verification(tmp_path: Path) -> None:
    cb.mask(policy(table(tmp_path, people()), {"cpf": {"fake": "cpf"}})).write(tmp_path / "out")
    file = tmp_path / "out" / "public" / "release.csv"
    manifest = tmp_path / "out" / "public" / "manifest.json"
    content = file.read_text(encoding="utf-8")
    one = next(row["cpf"] for row in released(tmp_path / "out") if row["cpf"])
    forged = content.replace(one, one[:-1] + str((int(one[-1]) + 1) % 10)).encode()
    file.write_bytes(forged)
    assert not cb.verify(tmp_path / "out" / "public")
    import hashlib

    stated = json.loads(manifest.read_bytes())
    stated["files"]["release.csv"] = {"sha256": hashlib.sha256(forged).hexdigest(), "bytes": len(forged)}
    manifest.write_text(json.dumps(stated), encoding="utf-8")
    verdict = cb.verify(tmp_path / "out" / "public")
    assert any("of its masking" in problem for problem in verdict.problems)


def test_a_release_beside_its_original(tmp_path: Path) -> None:
    before = read(pd.DataFrame({"cpf": [cpf(n) for n in range(1, 6)]}), Data())
    fakes = read(pd.DataFrame({"cpf": [cpf(n) for n in range(100, 105)]}), Data())
    words = read(pd.DataFrame({"cpf": ["x"] * 5}), Data())
    substituted = Substituted("cpf", "", {}, lambda: Dictionary([], []), fake("cpf", "br"))
    assert substituted.misfit(before, fakes) is None
    assert substituted.misfit(before, before) == "5 substitutes are among the original values"
    assert substituted.misfit(before, words) == "1 value is not a substitute of its kind"
    shuffled = Shuffled("cpf", "", {}, lambda: (np.arange(0), ()))
    assert shuffled.misfit(before, before) is None
    assert shuffled.misfit(before, fakes) == "the values are not those that were shuffled"


@pytest.mark.parametrize("kind", ["duckdb", "postgresql"])
def test_typed_columns_on_several_engines(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    url = "duckdb://" if kind == "duckdb" else request.getfixturevalue(kind)
    numbers = list(range(10_000, 10_300))
    frame = pd.DataFrame(
        {
            "id": numbers,
            "born": pd.to_datetime([f"19{50 + n % 40}-0{1 + n % 9}-1{n % 10}" for n in numbers]).date,
            "income": [float(n) for n in numbers],
            "kind": ["a", None, "c"] * 100,
        }
    )
    rules = {
        "attributes": {
            "id": {"role": "identifier"},
            "born": {"role": "quasi-identifier"},
            "income": {"role": "sensitive"},
            "kind": {"role": "non-sensitive"},
        },
        "masking": {
            "columns": {
                "id": {"pseudonym": True},
                "born": {"days": 5, "per": "id"},
                "income": {"blur": 0.5},
                "kind": {"shuffle": True},
            }
        },
    }
    cb.mask(frame, rules, engine=url).write(tmp_path / "out")
    found = released(tmp_path / "out")
    assert len({row["id"] for row in found}) == 300
    assert sorted(row["kind"] for row in found) == sorted(["a", "", "c"] * 100)
    assert all(4_999 <= float(row["income"]) <= 15_451 for row in found)
    assert {row["born"] for row in found} != {str(value) for value in frame["born"]}


def test_one_long_value_among_many_costs_no_memory(tmp_path: Path) -> None:
    rows = people(2000)
    rows[0][1] = "x" * 100_000
    rules = policy(table(tmp_path, rows), {"name": {"fake": "email"}, "cpf": {"fake": "cpf"}})
    assert cb.mask(rules).to_pandas()["name"].str.len().max() < 100


SEVERAL = """
[data]
separator = ","
[masking]
[output]
directory = "out"
[tables.people]
data = { path = "people.csv" }
key = "cpf"
attributes = { cpf = { role = "identifier" }, name = { role = "identifier" } }
columns = { cpf = { fake = "cpf" } }
[tables.visits]
data = { path = "visits.csv" }
references = { patient = "people.cpf" }
attributes = { patient = { role = "identifier" }, reason = { role = "sensitive" } }
columns = { patient = { OPERATOR } }
"""


def two_tables(directory: Path) -> None:
    numbers = [cpf(500 + 3 * n) for n in range(40)]
    people_rows = "".join(f"{number},Name {n}\n" for n, number in enumerate(numbers))
    visits = "".join(f"{numbers[n % 30]},reason {n % 4}\n" for n in range(120)) + "999,lost\n,none\n"
    (directory / "people.csv").write_text("cpf,name\n" + people_rows, encoding="utf-8")
    (directory / "visits.csv").write_text("patient,reason\n" + visits, encoding="utf-8")


@pytest.mark.parametrize("operator", ['fake = "cpf"', "pseudonym = true", 'token = "d"'], ids=["fake", "hmac", "token"])
def test_foreign_keys_survive(tmp_path: Path, operator: str) -> None:
    two_tables(tmp_path)
    vault, key = Vault.create(tmp_path / "v.db")
    vault.add_domain("d")
    key.save(tmp_path / "v.key")
    text = SEVERAL.replace("OPERATOR", operator).replace('fake = "cpf"', operator)
    text = text.replace("[masking]", '[masking]\nvault = "v.db"\nkey = "v.key"')
    (tmp_path / "policy.toml").write_text(text, encoding="utf-8")
    cb.mask(tmp_path / "policy.toml").write(tmp_path / "out")
    known = [row["cpf"] for row in released(tmp_path / "out" / "people")]
    visits = released(tmp_path / "out" / "visits")
    assert len(set(known)) == 40
    assert sum(row["patient"] in known for row in visits) == 120
    assert sorted({sum(row["patient"] == one for row in visits) for one in known}) == [0, 4]
    for name in ("people", "visits"):
        assert cb.verify(tmp_path / "out" / name)


DATED = """
[data]
separator = ","
[masking]
[output]
directory = "out"
[tables.people]
data = { path = "people.csv" }
attributes = { cpf = { role = "identifier" }, came = { role = "quasi-identifier" } }
columns = { cpf = { OPERATOR }, came = { days = 30, per = "cpf" } }
[tables.visits]
data = { path = "visits.csv" }
references = { patient = "people.cpf" }
attributes = { patient = { role = "identifier" }, seen = { role = "sensitive" } }
columns = { patient = { OPERATOR }, seen = { days = 30, format = "%d/%m/%Y", per = "patient" } }
"""


def written_in_two_ways(directory: Path, operator: str) -> list[int]:
    """Two tables that write one key differently: the days from each person's coming to each visit."""
    numbers = [cpf(500 + 3 * n) for n in range(40)]
    came = "".join(f"{number},2020-03-{1 + n % 28:02}\n" for n, number in enumerate(numbers))
    bare = ["".join(filter(str.isdigit, number)) for number in numbers]
    visits = [f"{bare[n % 30]},{10 + n % 15}/{4 + n % 6:02}/2020\n" for n in range(60)]
    (directory / "people.csv").write_text("cpf,came\n" + came, encoding="utf-8")
    (directory / "visits.csv").write_text("patient,seen\n" + "".join(visits), encoding="utf-8")
    (directory / "policy.toml").write_text(DATED.replace("OPERATOR", operator), encoding="utf-8")
    return sorted(_day(visits[n][12:22]) - date(2020, 3, 1 + n % 30 % 28).toordinal() for n in range(60))


def test_the_days_between_dates_stay_however_a_key_is_written(tmp_path: Path) -> None:
    before = written_in_two_ways(tmp_path, 'fake = "cpf"')
    cb.mask(tmp_path / "policy.toml").write(tmp_path / "out")
    came = {"".join(filter(str.isdigit, row["cpf"])): row["came"] for row in released(tmp_path / "out" / "people")}
    visits = released(tmp_path / "out" / "visits")
    after = [_day(row["seen"]) - date.fromisoformat(came[row["patient"]]).toordinal() for row in visits]
    assert sorted(after) == before


def test_a_pseudonym_is_one_however_a_key_is_written(tmp_path: Path) -> None:
    written_in_two_ways(tmp_path, "pseudonym = true")
    cb.mask(tmp_path / "policy.toml").write(tmp_path / "out")
    known = {row["cpf"] for row in released(tmp_path / "out" / "people")}
    assert {row["patient"] for row in released(tmp_path / "out" / "visits")} <= known


def test_tables_whose_days_between_would_change_are_refused(tmp_path: Path) -> None:
    written_in_two_ways(tmp_path, 'fake = "cpf"')
    short = (tmp_path / "policy.toml").read_text(encoding="utf-8").replace("%d/%m/%Y", "%d/%m/%y")
    (tmp_path / "policy.toml").write_text(short, encoding="utf-8")
    numbers = [cpf(500 + 3 * n) for n in range(40)]
    visits = "".join(f"{number},31/12/68\n" for number in numbers)  # 69 is read as 1969: whoever moves on is a child
    (tmp_path / "visits.csv").write_text("patient,seen\n" + visits, encoding="utf-8")
    with pytest.raises(DataError, match="the numbers of days between"):
        cb.mask(tmp_path / "policy.toml").write(tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("operator", ['fake = "cpf", group = "other"', 'list = ["a", "b"]', 'fake = "phone"'])
def test_a_key_that_would_break_is_refused(tmp_path: Path, operator: str) -> None:
    two_tables(tmp_path)
    (tmp_path / "policy.toml").write_text(SEVERAL.replace("OPERATOR", operator), encoding="utf-8")
    with pytest.raises(DataError, match="referred to no other record before masking"):
        cb.mask(tmp_path / "policy.toml").write(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_tokens_by_policy_and_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = people()
    Secret.create(tmp_path / "secret")
    vault, steward = Vault.create(tmp_path / "vault.db")
    steward.save(tmp_path / "steward.key")
    vault.add_domain("research")
    vault.issue("research", roles="tokenize").save(tmp_path / "writer.key")
    vault.issue("research", roles="detokenize").save(tmp_path / "reader.key")
    path = table(tmp_path, rows)
    text = f"""
[data]
path = "{path.name}"
[attributes]
{chr(10).join(f'{name} = {{ role = "{role}" }}' for name, role in ROLES.items())}
[masking]
vault = "vault.db"
key = "writer.key"
secret = "secret"
columns = {{ cpf = {{ token = "research" }}, name = {{ encrypt = true }} }}
"""
    (tmp_path / "policy.toml").write_text(text, encoding="utf-8")
    ended = _command("tokenize", str(tmp_path / "policy.toml"), "--out", str(tmp_path / "out"))
    assert ended == 0
    found = released(tmp_path / "out")
    assert len({row["cpf"] for row in found}) == 31
    options = {"vault": tmp_path / "vault.db", "domains": {"cpf": "research"}, "decrypt": ["name"]}
    source = tmp_path / "out" / "public" / "release.csv"
    with pytest.raises(CobogoError, match="does not have the role detokenize there"):
        restore(source, tmp_path / "back.csv", key=tmp_path / "writer.key", secret=tmp_path / "secret", **options)
    assert not (tmp_path / "back.csv").exists()
    assert _command(
        "detokenize", str(source), "--out", str(tmp_path / "back.csv"), "--column", "cpf=research", "--decrypt", "name",
        "--vault", str(tmp_path / "vault.db"), "--key", str(tmp_path / "reader.key"), "--secret",
        str(tmp_path / "secret"),
    ) == 0  # fmt: skip
    with (tmp_path / "back.csv").open(encoding="utf-8", newline="") as file:
        assert sorted(list(csv.reader(file))[1:]) == sorted(rows)
    assert (tmp_path / "back.csv").stat().st_mode & 0o077 == 0
    said = capsys.readouterr()
    assert not any(row[0] in said.out + said.err for row in rows if row[0])


def test_the_password_of_a_vault_is_kept_nowhere(postgresql: str, tmp_path: Path) -> None:
    place = emptied(postgresql).replace("cobogo@", "cobogo:hush@")
    vault, key = Vault.create(place)
    vault.add_domain("d")
    key.save(tmp_path / "v.key")
    masking = {"vault": place, "key": str(tmp_path / "v.key")}
    cb.mask(policy(table(tmp_path, people()), {"cpf": {"token": "d"}}, masking=masking)).write(tmp_path / "out")
    for file in (tmp_path / "out").rglob("*.*"):
        assert b"hush" not in file.read_bytes()
    assert len({row["cpf"] for row in released(tmp_path / "out")}) == 31


def test_the_vault_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place, key = str(tmp_path / "v.db"), str(tmp_path / "steward.key")
    keyed = ["--key", key]
    assert _command("vault", "create", place, "--out", key) == 0
    assert _command("vault", "create", place, "--out", str(tmp_path / "2.key")) == 2
    assert not (tmp_path / "2.key").exists(), "nothing is left of a vault that was not made"
    assert _command("vault", "domain", place, "d", "--format", "shape", *keyed) == 0
    writer = ["--role", "tokenize", "--domain", "d", "--out", str(tmp_path / "w.key")]
    assert _command("vault", "key", place, *keyed, *writer) == 0
    assert _command("vault", "key", place, *keyed, *writer) == 2, "a key is never overwritten"
    tokens = Vault.open(place, key).tokenize("d", ["52998224725", "Ana"])
    (tmp_path / "tokens").write_text(f"{tokens[0]}\nunknown\n", encoding="utf-8")
    assert _command("vault", "forget", place, "d", "--tokens", str(tmp_path / "tokens"), *keyed) == 0
    assert _command("vault", "rotate", place, "d", *keyed) == 0
    assert _command("vault", "check", place, *keyed) == 0
    capsys.readouterr()
    assert _command("vault", "show", place, *keyed, "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["domains"] == [{"name": "d", "format": "shape", "generation": 2, "values": 1, "irreversible": 1}]
    assert len([entry for entry in shown["keys"] if entry["revoked"]]) == 1, "the key that could not be written"
    held = next(entry["name"] for entry in shown["keys"] if entry["roles"] == ["tokenize"] and not entry["revoked"])
    assert _command("vault", "revoke", place, held, *keyed) == 0
    assert _command("vault", "log", place, "--key", str(tmp_path / "w.key")) == 2
    assert _command("vault", "log", place, *keyed) == 0
    assert not any(word in capsys.readouterr().out for word in ("52998224725", "Ana", *tokens))


def test_messages_of_the_vault_are_as_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    vault, _ = Vault.create("vault.db")
    vault.add_domain("research")
    key = vault.issue("research", roles="tokenize")
    for attempt in (
        lambda: Vault.open("vault.db", key).detokenize("research", ["x"]),
        lambda: Vault.open("vault.db", VaultKey(key.name, bytes(32))),
    ):
        with pytest.raises(CobogoError) as refused:
            attempt()
        shown = refused.value.message.replace(key.name, "97742968").replace("\n", "\n        ")
        assert f"cobogo: {shown}\n" in page


def _command(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        run(list(arguments))
    return int(ended.value.code or 0)

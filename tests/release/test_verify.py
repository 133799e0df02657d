"""Verification notices whatever was done to a release after it was written."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cobogo as cb
from cobogo.errors import AnswerIsNo, OutputError, PolicyError, VerificationFailed

pytestmark = pytest.mark.slow

PEOPLE = pa.table(
    {
        "name": [f"Person {number}" for number in range(12)],
        "age": ["31", "34", "38", "52", "55", "57"] * 2,
        "city": ["Sobral"] * 6 + ["Crato"] * 6,
        "disease": ["flu", "cold", "asthma"] * 4,
        "note": ["paid"] * 12,
    }
)


def policy(k: int = 3, l: int = 2, **more: Any) -> dict[str, Any]:
    return {
        "data": {"separator": ";"},
        "attributes": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20]}},
            "city": {"role": "quasi-identifier"},
            "disease": {"role": "sensitive"},
            "note": {"role": "non-sensitive"},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": k}, {"model": "l-diversity", "l": l}]},
        **more,
    }


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("written") / "out"
    assert cb.anonymize(PEOPLE, policy()).write(directory)
    return directory


@pytest.fixture
def out(written: Path, tmp_path: Path) -> Path:
    """A copy to be spoiled."""
    return Path(shutil.copytree(written, tmp_path / "out"))


def rows(out: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO((out / "public/release.csv").read_text(encoding="utf-8")), delimiter=";"))


def rewrite(out: Path, table: list[list[str]]) -> None:
    text = "".join(";".join(row) + "\n" for row in table)
    (out / "public/release.csv").write_text(text, encoding="utf-8", newline="\n")


def edit_manifest(out: Path, change: Callable[[dict[str, Any]], None]) -> None:
    file = out / "public/manifest.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    change(content)
    file.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def sign_again(out: Path) -> None:
    """Make the manifest agree with what lies beside it, as a forger would."""

    def change(content: dict[str, Any]) -> None:
        for name, entry in content["files"].items():
            raw = (out / "public" / name).read_bytes()
            entry.update(sha256=hashlib.sha256(raw).hexdigest(), bytes=len(raw))
        content["data"]["records"] = len(rows(out)) - 1

    edit_manifest(out, change)


@pytest.mark.parametrize("where", ["../evidence/report.json", "/etc/hostname", "a/../../x.csv", "..\\\\x.csv", "."])
def test_a_manifest_that_names_a_file_outside_of_the_release_is_not_followed(out: Path, where: str) -> None:
    def change(content: dict[str, Any]) -> None:
        content["data"]["file"] = where
        content["files"][where] = content["files"].pop("release.csv")

    edit_manifest(out, change)
    with pytest.raises(VerificationFailed, match="outside of the release"):
        cb.verify(out)


def test_an_untouched_release_holds(out: Path) -> None:
    verdict = cb.verify(out)
    assert verdict
    assert verdict.problems == ()
    assert [(v.model.name, v.measured, v.satisfied) for v in verdict.models] == [
        ("k-anonymity", 3, True),
        ("l-diversity", 3, True),
    ]
    assert (verdict.records, verdict.classes) == (12, 4)


def test_so_does_the_public_part_alone(out: Path, tmp_path: Path) -> None:
    assert cb.verify(out / "public")
    shutil.rmtree(out / "evidence")
    assert cb.verify(out)
    moved = Path(shutil.move(out / "public", tmp_path / "elsewhere"))
    assert cb.verify(moved)
    assert cb.verify(str(moved))


def test_hashes_in_the_manifest_are_those_of_the_files(out: Path) -> None:
    content = json.loads((out / "public/manifest.json").read_text(encoding="utf-8"))
    files = {file.name for file in (out / "public").iterdir()} - {"manifest.json"}
    assert set(content["files"]) == files == {"release.csv", "dictionary.md"}
    for name, entry in content["files"].items():
        raw = (out / "public" / name).read_bytes()
        assert entry == {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw)}


class TestTheReleasedFile:
    """Where the models still hold, the hash tells; where they do not, both do."""

    def test_one_sensitive_cell(self, out: Path) -> None:
        table = rows(out)
        table[1][2] = "measles"
        rewrite(out, table)
        verdict = cb.verify(out)
        assert not verdict
        assert all(model.satisfied for model in verdict.models)
        assert not cb.verify(out / "public")

    def test_one_quasi_identifying_cell(self, out: Path) -> None:
        table = rows(out)
        table[1][1] = "Juazeiro"
        rewrite(out, table)
        verdict = cb.verify(out)
        assert not verdict
        assert not verdict.models[0].satisfied
        assert verdict.models[0].measured == 1

    def test_one_row_dropped(self, out: Path) -> None:
        rewrite(out, rows(out)[:-1])
        verdict = cb.verify(out)
        assert not verdict
        assert verdict.records == 11

    def test_one_row_twice(self, out: Path) -> None:
        table = rows(out)
        rewrite(out, [*table, table[-1]])
        assert not cb.verify(out)

    def test_rows_in_another_order(self, out: Path) -> None:
        header, *rest = rows(out)
        assert rest != sorted(rest), "random order, by a chance of one in twelve factorial over the repeats"
        rewrite(out, [header, *sorted(rest)])
        verdict = cb.verify(out)
        assert not verdict
        assert all(model.satisfied for model in verdict.models)

    def test_columns_in_another_order(self, out: Path) -> None:
        rewrite(out, [row[::-1] for row in rows(out)])
        assert not cb.verify(out)

    def test_a_column_more(self, out: Path) -> None:
        rewrite(out, [[*row, str(number)] for number, row in enumerate(rows(out))])
        assert not cb.verify(out)
        sign_again(out)
        assert not cb.verify(out / "public")

    def test_missing(self, out: Path) -> None:
        (out / "public/release.csv").unlink()
        verdict = cb.verify(out)
        assert not verdict
        assert any("release.csv" in problem for problem in verdict.problems)

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"age;city;disease;note\n",
            b"age;city;disease;note\nx;y\n",
            b'age;city;disease;note\n"x;y;z;w\n',
            b"age;city;disease;note\n\xff\xfe;a;b;c\n",
            b"\x00\x01\x02",
            b"one\nline\n",
        ],
        ids=["empty", "header alone", "ragged", "open quote", "not UTF-8", "binary", "one column"],
    )
    def test_unreadable(self, out: Path, content: bytes) -> None:
        (out / "public/release.csv").write_bytes(content)
        assert not cb.verify(out)

    def test_a_forger_who_signs_again_is_caught_by_the_models(self, out: Path) -> None:
        table = rows(out)
        table[1][1] = "Juazeiro"
        rewrite(out, table)
        sign_again(out)
        verdict = cb.verify(out / "public")
        assert not verdict
        assert not verdict.models[0].satisfied
        assert all("differs from the one found" in problem for problem in verdict.problems)

    def test_and_by_the_evidence_where_the_models_hold(self, out: Path) -> None:
        table = rows(out)
        table[1][2] = "measles"
        rewrite(out, table)
        sign_again(out)
        assert cb.verify(out / "public"), "nobody can tell from the public part alone"
        assert not cb.verify(out)


class TestTheManifest:
    def test_a_lowered_k(self, out: Path) -> None:
        edit_manifest(out, lambda content: content["models"][0].update(k=2))
        assert not cb.verify(out)

    def test_a_raised_k(self, out: Path) -> None:
        edit_manifest(out, lambda content: content["models"][0].update(k=4))
        verdict = cb.verify(out / "public")
        assert not verdict
        assert not verdict.models[0].satisfied

    def test_a_model_taken_out(self, out: Path) -> None:
        edit_manifest(out, lambda content: content["models"].pop())
        assert not cb.verify(out)

    def test_a_role_changed(self, out: Path) -> None:
        edit_manifest(out, lambda content: content["columns"][0].update(role="non-sensitive"))
        assert not cb.verify(out)

    def test_another_measure(self, out: Path) -> None:
        edit_manifest(out, lambda content: content["models"][0].update(measured=100))
        assert not cb.verify(out)

    def test_another_number_of_records(self, out: Path) -> None:
        edit_manifest(out, lambda content: content["data"].update(records=13))
        assert not cb.verify(out / "public")

    def test_even_a_space(self, out: Path) -> None:
        file = out / "public/manifest.json"
        file.write_bytes(file.read_bytes() + b" ")
        assert not cb.verify(out)

    @pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff", b'{"format": "cobogo-release/1"}'])
    def test_damaged(self, out: Path, content: bytes) -> None:
        (out / "public/manifest.json").write_bytes(content)
        with pytest.raises(VerificationFailed) as failed:
            cb.verify(out)
        assert failed.value.exit_code == 1

    @pytest.mark.parametrize(
        "model",
        [{"model": "k-anonymity", "k": 0}, {"model": "k-anonimity", "k": 3}, {"k": 3}, {"model": "k-anonymity"}],
    )
    def test_a_model_that_is_none(self, out: Path, model: dict[str, Any]) -> None:
        """The answer is no; the release is to blame, not what was asked."""
        edit_manifest(out, lambda content: content["models"].insert(0, model))
        try:
            verdict = cb.verify(out)
        except AnswerIsNo:
            return
        assert not verdict

    def test_missing(self, out: Path) -> None:
        (out / "public/manifest.json").unlink()
        with pytest.raises(OutputError):
            cb.verify(out)


class TestOtherFiles:
    def test_the_dictionary_edited(self, out: Path) -> None:
        file = out / "public/dictionary.md"
        file.write_text(file.read_text(encoding="utf-8").replace("as collected", "made up"), encoding="utf-8")
        assert not cb.verify(out)
        assert not cb.verify(out / "public")

    @pytest.mark.parametrize("name", ["originals.csv", ".hidden", "deep/er/file.txt", "release.csv.bak"])
    def test_one_too_many_in_public(self, out: Path, name: str) -> None:
        file = out / "public" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("something")
        verdict = cb.verify(out)
        assert not verdict
        assert any(name in problem for problem in verdict.problems)
        assert not cb.verify(out / "public")

    @pytest.mark.parametrize("name", ["report.json", "report.html", "plots/class_sizes.png"])
    def test_evidence_edited(self, out: Path, name: str) -> None:
        file = out / "evidence" / name
        file.write_bytes(file.read_bytes() + b"\n")
        assert not cb.verify(out)
        assert cb.verify(out / "public"), "what leaves the house is as it was"

    def test_evidence_removed_or_added(self, out: Path) -> None:
        (out / "evidence/more.txt").write_text("more")
        assert not cb.verify(out)
        (out / "evidence/more.txt").unlink()
        assert cb.verify(out)
        (out / "evidence/report.json").unlink()
        assert not cb.verify(out)

    @pytest.mark.parametrize("content", [None, b"", b"{}", b'{"files": [], "manifest-sha256": ""}', b"null", b"\xff"])
    def test_the_list_of_evidence_damaged(self, out: Path, content: bytes | None) -> None:
        file = out / "evidence/evidence.json"
        file.unlink()
        if content is not None:
            file.write_bytes(content)
        assert not cb.verify(out)

    def test_what_is_no_release_is_said_to_be_none(self, tmp_path: Path) -> None:
        with pytest.raises(OutputError, match="not a Cobogó release"):
            cb.verify(tmp_path)
        with pytest.raises(OutputError, match="no such directory"):
            cb.verify(tmp_path / "nowhere")


class TestAgainstAPolicy:
    def test_its_own(self, out: Path) -> None:
        assert cb.verify(out, policy=policy())
        assert cb.verify(out, policy=cb.Policy.of(policy()))

    def test_a_file(self, out: Path, tmp_path: Path) -> None:
        attributes = "\n".join(
            f'{name} = {{ role = "{entry["role"]}" }}' for name, entry in policy()["attributes"].items()
        )
        file = tmp_path / "stricter.toml"
        text = f'[attributes]\n{attributes}\n[privacy]\nmodels = [{{ model = "k-anonymity", k = %d }}]\n'
        file.write_text(text % 3)
        assert cb.verify(out, policy=file)
        file.write_text(text % 4)
        assert not cb.verify(out, policy=file)

    def test_a_stricter_k(self, out: Path) -> None:
        verdict = cb.verify(out, policy=policy(k=4))
        assert not verdict
        assert verdict.problems == ()

    def test_a_stricter_l(self, out: Path) -> None:
        assert cb.verify(out, policy=policy(l=3))
        assert not cb.verify(out, policy=policy(l=4))

    def test_a_milder_one_does_not_weaken_what_the_release_promises(self, out: Path) -> None:
        table = rows(out)
        table[1][1] = "Juazeiro"
        rewrite(out, table)
        sign_again(out)
        assert not cb.verify(out / "public", policy=policy(k=1, l=1))

    def test_an_identifier_among_the_columns(self, out: Path) -> None:
        strict = policy()
        strict["attributes"]["note"] = {"role": "identifier"}
        verdict = cb.verify(out, policy=strict)
        assert not verdict
        assert any("note" in problem for problem in verdict.problems)

    def test_a_quasi_identifier_more(self, out: Path) -> None:
        """Who counts the disease among what others know finds classes of one."""
        strict = policy()
        strict["attributes"]["disease"] = {"role": "quasi-identifier"}
        strict["attributes"]["note"] = {"role": "sensitive"}
        strict["privacy"] = {"models": [{"model": "k-anonymity", "k": 2}]}
        verdict = cb.verify(out, policy=strict)
        assert not verdict
        assert verdict.classes == 12

    def test_a_column_it_does_not_know(self, out: Path) -> None:
        strict = policy()
        del strict["attributes"]["note"]
        with pytest.raises(PolicyError, match="note"):
            cb.verify(out, policy=strict)


class TestParquet:
    @pytest.fixture
    def parquet(self, tmp_path: Path) -> Path:
        assert cb.anonymize(PEOPLE, policy(output={"format": "parquet"})).write(tmp_path / "out")
        return tmp_path / "out"

    def test_it_holds_until_it_is_touched(self, parquet: Path) -> None:
        assert cb.verify(parquet)
        assert cb.verify(parquet / "public")
        file = parquet / "public/release.parquet"
        table = pq.read_table(file)
        pq.write_table(table, file)
        assert not cb.verify(parquet), "the same rows in other bytes"
        pq.write_table(table.slice(1), file)
        assert not cb.verify(parquet)
        file.write_bytes(b"PAR1 no more")
        assert not cb.verify(parquet)


def test_a_directory_whose_name_is_a_pattern_is_read_as_it_stands(tmp_path: Path) -> None:
    """Beside ``out*`` lies ``outer``, which the pattern would match as well."""
    for name in ("outer", "out*", "out[e]r", "out?r"):
        assert cb.anonymize(PEOPLE, policy()).write(tmp_path / name)
    for name in ("outer", "out*", "out[e]r", "out?r"):
        verdict = cb.verify(tmp_path / name)
        assert verdict, (name, verdict.problems)
        assert verdict.records == 12

"""A vault on SQLite and on a real PostgreSQL: exact round trips, one token a value, roles, rotation, deletion."""

import sqlite3
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cobogo.errors import VaultError, VerificationFailed
from cobogo.publish.mask.vault import Vault, VaultKey
from cobogo.publish.mask.vault.store import VaultStore
from support.effort import examples
from support.vaults import emptied, raw

pytestmark = pytest.mark.slow

PEOPLE = ["Ana", "José Conceição", "529.982.247-25", "", " ", "a\tb\nc", 'it\'s "x";--', "ç" * 500, "😀 日本", "0"]


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a vault may be made."""
    if request.param == "sqlite":
        return str(tmp_path / "vault.db")
    return emptied(request.getfixturevalue("postgresql"))


@pytest.fixture
def steward(place: str) -> Vault:
    """A vault with two domains, opened by its steward."""
    vault, _ = Vault.create(place)
    vault.add_domain("research")
    vault.add_domain("billing", format="shape")
    return vault


def test_values_come_back_exactly_and_null_stays_null(steward: Vault) -> None:
    tokens = steward.tokenize("research", [*PEOPLE, None, *PEOPLE])
    assert tokens[: len(PEOPLE)] == tokens[len(PEOPLE) + 1 :]
    assert tokens[len(PEOPLE)] is None
    assert len(set(tokens)) == len(PEOPLE) + 1
    assert not set(tokens) & set(PEOPLE)
    assert steward.detokenize("research", tokens) == [*PEOPLE, None, *PEOPLE]
    assert steward.tokenize("research", PEOPLE) == tokens[: len(PEOPLE)]


def test_arrow_in_arrow_out(steward: Vault) -> None:
    column = pa.chunked_array([["Ana", None], ["Rui", "Ana"]])
    tokens = steward.tokenize("research", column)
    assert isinstance(tokens, pa.Array)
    assert steward.detokenize("research", tokens).to_pylist() == column.to_pylist()


def test_domains_do_not_share_tokens_or_lookups(steward: Vault, place: str) -> None:
    steward.add_domain("other")
    assert steward.tokenize("research", ["Ana"]) != steward.tokenize("other", ["Ana"])
    lookups = raw(place, "SELECT lookup FROM cobogo_vault_tokens")
    assert len(lookups) == 2
    assert lookups[0] != lookups[1]
    with pytest.raises(VaultError, match="no value"):
        steward.detokenize("other", steward.tokenize("research", ["Ana"]))


def test_no_value_lies_readable_in_the_database(steward: Vault, place: str) -> None:
    secret = "Conceição-de-Araújo-529982247"
    steward.tokenize("research", [secret])
    steward.tokenize("billing", [secret])
    for table in ("tokens", "log", "keys", "grants", "domains", "batches"):
        assert secret.encode() not in repr(raw(place, f"SELECT * FROM cobogo_vault_{table}")).encode()
    if not place.startswith("postgresql"):
        for file in Path(place).parent.iterdir():
            assert secret.encode() not in file.read_bytes()
            assert file.stat().st_mode & 0o077 == 0


def test_shape_keeps_length_case_digits_and_signs(steward: Vault) -> None:
    values = ["529.982.247-25", "Ana Sá", "AB-12", "(85) 98888-7777"]
    tokens = steward.tokenize("billing", values)
    assert not set(tokens) & set(values)
    for token, value in zip(tokens, values, strict=True):
        assert len(token) == len(value)
        for new, old in zip(token, value, strict=True):
            assert (new.isdigit(), new.isupper(), new.islower()) == (old.isdigit(), old.isupper(), old.islower())
            assert old.isalnum() or new == old


def test_a_shape_that_is_used_up_is_said_so(steward: Vault, place: str) -> None:
    with pytest.raises(VaultError, match="too few tokens of the same format"):
        steward.tokenize("billing", ["1", *"abcdefghijklmnopqrstuvwxyzáéíóú"])
    assert raw(place, "SELECT COUNT(*) FROM cobogo_vault_tokens")[0][0] == 0, "all or nothing"
    with pytest.raises(VaultError, match="cannot have a token of the same format"):
        steward.tokenize("billing", ["---"])


def test_roles_are_kept_apart(steward: Vault, place: str) -> None:
    writer = Vault.open(place, steward.issue("research", roles="tokenize"))
    reader = Vault.open(place, steward.issue("research", roles="detokenize"))
    tokens = writer.tokenize("research", ["Ana"])
    assert reader.detokenize("research", tokens) == ["Ana"]
    refused = [
        lambda: writer.detokenize("research", tokens),
        lambda: reader.tokenize("research", ["Ana"]),
        lambda: writer.tokenize("billing", ["Ana"]),
        lambda: writer.rotate("research"),
        lambda: reader.forget("research", tokens=tokens),
        lambda: writer.issue("research", roles="detokenize"),
        writer.log,
        writer.show,
    ]
    for attempt in refused:
        with pytest.raises(VaultError, match="does not have the role"):
            attempt()
    entries, _ = steward.log()
    assert sum(entry.action == "refused" for entry in entries) == len(refused)


def test_a_writer_cannot_read_even_with_the_whole_database(steward: Vault, place: str) -> None:
    writer = Vault.open(place, steward.issue("research", roles="tokenize"))
    secrets = writer._session._grants["research"].secrets
    assert "private" not in secrets
    assert set(secrets) == {"index", "public", "log"}


def test_a_role_cannot_be_raised_in_the_database(steward: Vault, place: str) -> None:
    key = steward.issue("research", roles="tokenize")
    raw(place, f"UPDATE cobogo_vault_keys SET roles = 'detokenize' WHERE name = '{key.name}'")
    with pytest.raises(VaultError, match="the key does not open this vault"):
        Vault.open(place, key)


def test_wrong_keys(steward: Vault, place: str, tmp_path: Path) -> None:
    known = steward.issue("research", roles="tokenize")
    with pytest.raises(VaultError, match="does not belong to this vault"):
        Vault.open(place, VaultKey.new())
    with pytest.raises(VaultError, match="the key does not open this vault"):
        Vault.open(place, VaultKey(known.name, bytes(32)))
    steward.revoke(known.name)
    with pytest.raises(VaultError, match="was revoked"):
        Vault.open(place, known)
    with pytest.raises(VaultError, match="no key"):
        steward.revoke("nobody")
    with pytest.raises(VaultError, match="last key of a steward"):
        steward.revoke(steward._session.key.name)
    (tmp_path / "no.key").write_text("hello")
    with pytest.raises(VaultError, match="does not contain a key"):
        Vault.open(place, tmp_path / "no.key")


def test_a_revoked_key_is_refused_in_an_open_session(steward: Vault, place: str) -> None:
    key = steward.issue("research", roles=["tokenize", "detokenize"])
    held = Vault.open(place, key)
    tokens = held.tokenize("research", ["Ana"])
    steward.revoke(key.name)
    for attempt in (lambda: held.tokenize("research", ["Rui"]), lambda: held.detokenize("research", tokens)):
        with pytest.raises(VaultError, match="the key was revoked"):
            attempt()


def test_rotation_keeps_tokens_and_replaces_every_secret(steward: Vault, place: str) -> None:
    key = steward.issue("research", roles=["tokenize", "detokenize"])
    held = Vault.open(place, key)
    tokens = held.tokenize("research", PEOPLE)
    before = raw(place, "SELECT token, lookup, sealed FROM cobogo_vault_tokens ORDER BY token")
    old = held._session._grants["research"].secrets
    assert steward.rotate("research") == len(PEOPLE)
    after = raw(place, "SELECT token, lookup, sealed FROM cobogo_vault_tokens ORDER BY token")
    assert [row[0] for row in before] == [row[0] for row in after]
    assert not {bytes(row[1]) for row in before} & {bytes(row[1]) for row in after}
    assert not {bytes(row[2]) for row in before} & {bytes(row[2]) for row in after}
    assert held.tokenize("research", PEOPLE) == tokens, "an open session reads its new secrets"
    assert held.detokenize("research", tokens) == PEOPLE
    new = held._session._grants["research"].secrets
    assert all(old[name] != new[name] for name in ("index", "private", "public"))


def test_rotation_of_tokens_makes_the_old_ones_irreversible(steward: Vault) -> None:
    tokens = steward.tokenize("billing", ["Ana Lima", "52998224725"])
    steward.rotate("billing", tokens=True)
    assert steward.detokenize("billing", tokens, missing="null") == [None, None]
    new = steward.tokenize("billing", ["Ana Lima", "52998224725"])
    assert not set(new) & set(tokens)
    assert steward.detokenize("billing", new) == ["Ana Lima", "52998224725"]


def test_what_is_forgotten_is_gone_and_its_token_never_comes_again(steward: Vault, place: str) -> None:
    tokens = steward.tokenize("research", ["Ana", "Rui", "Eva"])
    assert steward.forget("research", tokens=[tokens[0], "unknown", None], values=["Rui", "Zoe"]) == 2
    assert steward.detokenize("research", tokens, missing="null") == [None, None, "Eva"]
    with pytest.raises(VaultError, match="2 tokens of 3 have no value"):
        steward.detokenize("research", tokens)
    assert steward.tokenize("research", ["Ana"])[0] not in tokens
    gone = raw(place, "SELECT sealed, lookup, batch FROM cobogo_vault_tokens WHERE lookup IS NULL")
    assert [tuple(row) for row in gone] == [(None, None, None)] * 2
    assert steward.forget("research", tokens=tokens[:1]) == 0
    assert steward.check() == 2


def test_the_log_tells_who_did_what_and_no_value(steward: Vault, place: str) -> None:
    writer = steward.issue("research", roles="tokenize")
    tokens = Vault.open(place, writer).tokenize("research", ["Ana", "Rui", "Ana"])
    steward.detokenize("research", tokens)
    entries, digest = steward.log()
    assert [entry.action for entry in entries[-3:]] == ["issue", "tokenize", "detokenize"]
    assert (entries[-2].key, entries[-2].count, entries[-2].domain) == (writer.name, 2, "research")
    assert len(digest) == 64
    assert not any(word in repr(entries) for word in ("Ana", "Rui", *tokens))


@pytest.mark.parametrize("change", ["UPDATE cobogo_vault_log SET count = 0", "DELETE FROM cobogo_vault_log"])
def test_the_log_is_append_only(steward: Vault, place: str, change: str) -> None:
    with pytest.raises(VaultError):
        raw(place, change)
    assert steward.log()


def test_an_altered_log_is_found(tmp_path: Path) -> None:
    steward, _ = Vault.create(tmp_path / "v.db")
    steward.add_domain("research")
    steward.tokenize("research", ["Ana"])
    file = sqlite3.connect(tmp_path / "v.db")
    file.execute("DROP TRIGGER cobogo_vault_log_update")
    file.execute("DROP TRIGGER cobogo_vault_log_delete")
    file.execute("UPDATE cobogo_vault_log SET count = 7 WHERE number = 3")
    file.commit()
    with pytest.raises(VerificationFailed, match="entry 3"):
        steward.log()
    file.execute("DELETE FROM cobogo_vault_log WHERE number = 3")
    file.commit()
    with pytest.raises(VerificationFailed, match="3 entries were written, and 2"):
        steward.log()
    file.close()


def test_exchanged_and_altered_values_do_not_open(steward: Vault, place: str) -> None:
    tokens = steward.tokenize("research", ["Ana", "Rui", "Eva"])
    rows = raw(place, "SELECT token, sealed FROM cobogo_vault_tokens ORDER BY token")
    with VaultStore(place).writing() as connection:
        mark = "%s" if place.startswith("postgresql") else "?"
        statement = f"UPDATE cobogo_vault_tokens SET sealed = {mark} WHERE token = {mark}"
        connection.exec_driver_sql(statement, (bytes(rows[0][1]), rows[1][0]))
    with pytest.raises(VaultError, match="the vault was altered or is damaged"):
        steward.detokenize("research", tokens)
    with pytest.raises(VerificationFailed, match="1 value of 3"):
        steward.check()


def test_places_that_are_not_fit(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "noise.db").write_bytes(b"\x07noise" * 1000)
    key = VaultKey.new()
    with pytest.raises(VaultError, match="there is no vault"):
        Vault.open(tmp_path / "absent.db", key)
    for bad in (tmp_path / "file" / "v.db", tmp_path / "no" / "v.db"):
        with pytest.raises(VaultError, match="cannot be written"):
            Vault.create(bad)
    with pytest.raises(VaultError, match="not a vault, or is damaged"):
        Vault.open(tmp_path / "noise.db", key)
    with pytest.raises(VaultError, match="mysql is not supported here"):
        Vault.create("mysql://localhost/x")
    with pytest.raises(VaultError, match=r"postgresql://127.0.0.1:1/x: ") as refused:
        Vault.create("postgresql://ana:secret@127.0.0.1:1/x")
    assert "secret" not in str(refused.value)
    Vault.create(tmp_path / "v.db")
    with pytest.raises(VaultError, match="already"):
        Vault.create(tmp_path / "v.db")


def test_a_damaged_file_is_said_to_be_damaged(tmp_path: Path) -> None:
    steward, key = Vault.create(tmp_path / "v.db")
    steward.add_domain("research")
    tokens = steward.tokenize("research", [f"value {n}" for n in range(2000)])
    content = bytearray((tmp_path / "v.db").read_bytes())
    content[40_000:200_000] = bytes(len(content[40_000:200_000]))
    (tmp_path / "v.db").write_bytes(content)
    with pytest.raises((VaultError, VerificationFailed)):
        Vault.open(tmp_path / "v.db", key).detokenize("research", tokens)


@settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=30))
def test_any_text_comes_back(values: list[str | None], tmp_path_factory: pytest.TempPathFactory) -> None:
    vault, _ = Vault.create(tmp_path_factory.mktemp("any") / "v.db")
    vault.add_domain("any")
    tokens = vault.tokenize("any", values)
    assert vault.detokenize("any", tokens) == values
    pairs = {(value, token) for value, token in zip(values, tokens, strict=True)}
    assert len(pairs) == len({value for value, _ in pairs}) == len({token for _, token in pairs})


def test_what_is_no_text_is_refused(steward: Vault) -> None:
    with pytest.raises(VaultError, match="must be text"):
        steward.tokenize("research", [1, 2])
    with pytest.raises(VaultError, match="must be text"):
        steward.tokenize("research", ["\ud800"])
    with pytest.raises(VaultError, match="does not have this domain"):
        steward.tokenize("nothing", ["Ana"])
    for name, form in (("a b", "opaque"), ("new", "round"), ("research", "opaque")):
        with pytest.raises(VaultError):
            steward.add_domain(name, format=form)

"""What is sealed opens under its key and its label, and under no other; bytes sealed long ago still open."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from cobogo.floor.sealing import DoesNotOpen, SealedBatch, Sealer, new_key, new_pair, unwrap, wrap

KEY = bytes(range(32))


def test_what_was_sealed_before_still_opens() -> None:
    """AES-256-GCM: the nonce, the encrypted content, the tag; the label is associated data."""
    nonce = bytes(12)
    sealed = nonce + AESGCM(KEY).encrypt(nonce, b"Ana", b"label")
    assert Sealer(KEY).open(sealed, "label") == b"Ana"


@pytest.mark.parametrize("change", ["key", "label", "bit", "cut"])
def test_nothing_opens_that_was_changed(change: str) -> None:
    sealed = Sealer(KEY).seal(b"content", "here")
    key, label = KEY, "here"
    if change == "key":
        key = new_key()
    elif change == "label":
        label = "there"
    elif change == "bit":
        sealed = sealed[:-1] + bytes([sealed[-1] ^ 1])
    else:
        sealed = sealed[:10]
    with pytest.raises(DoesNotOpen):
        Sealer(key).open(sealed, label)


def test_the_same_content_is_sealed_differently_each_time() -> None:
    sealer = Sealer(KEY)
    assert sealer.seal(b"x", "here") != sealer.seal(b"x", "here")


def test_wrapped_secrets() -> None:
    assert unwrap(KEY, wrap(KEY, {"b": "2", "a": "1"}, "context"), "context") == {"a": "1", "b": "2"}


def test_a_batch_opens_with_the_private_key_alone_and_binds_values_to_tokens() -> None:
    private, public = new_pair()
    batch = SealedBatch.new(public)
    sealed = [*batch.seal(["Ana", "Bia"], ["t1", "t2"]), *batch.seal(["Caio"], ["t3"])]
    opened = SealedBatch.reopen(private, batch.ephemeral)
    assert opened.open(sealed, ["t1", "t2", "t3"]) == ["Ana", "Bia", "Caio"]
    with pytest.raises(DoesNotOpen):
        opened.open(sealed, ["t2", "t1", "t3"])
    with pytest.raises(DoesNotOpen):
        SealedBatch.reopen(new_pair()[0], batch.ephemeral).open(sealed[:1], ["t1"])

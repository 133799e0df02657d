"""The leg between device and anonymizer: whoever listens there sees true positions, so it is encrypted or refused."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from cobogo.errors import InputError, OutputError
from cobogo.floor.files import write_private

if TYPE_CHECKING:
    from cryptography.x509 import GeneralName


def is_loopback(host: str) -> bool:
    """Whether an address never leaves the machine.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_leg(host: str, certificate: Path | None, key: Path | None, *, plain: bool = False) -> None:
    """Raise where true positions would go over a network unencrypted, unless that was asked for."""
    if (certificate is None) != (key is None):
        raise InputError("go together", where="--certificate and --tls-key")
    for file, option in ((certificate, "--certificate"), (key, "--tls-key")):
        if file is not None and not file.is_file():
            raise InputError("there is no such file", where=f"{option} {file}")
    if certificate is None and not plain and not is_loopback(host):
        raise InputError(
            f"without TLS everybody on the way to {host} would see where people are: a cloak protects from the "
            "service, not from who listens between device and anonymizer",
            where="--host",
            remedy="Give --certificate and --tls-key (`cobogo locate certificate` makes a pair to try), "
            "or --plain-http if something before this server ends TLS.",
        )


def self_signed(directory: Path, hosts: Sequence[str], *, days: int = 90) -> tuple[Path, Path]:
    """A certificate that vouches for itself, for tests and for a house of one's own: devices must be given it."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    certificate, key_file = directory / "certificate.pem", directory / "key.pem"
    for file in (certificate, key_file):
        if file.exists():
            raise OutputError("is there already", where=str(file), remedy="Choose another --out.")
    directory.mkdir(parents=True, exist_ok=True)
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Cobogó anonymizer")])
    now = datetime.now(UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([_name(host) for host in hosts]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    write_private(key_file, pem.decode())
    certificate.write_bytes(built.public_bytes(serialization.Encoding.PEM))
    return certificate, key_file


def _name(host: str) -> GeneralName:
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)

"""Services on the network: what goes wrong with them, in our words, and files that https:// gives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cobogo.errors import DataError, InputError, OutputError
from cobogo.floor.language import Text, tr

PATIENCE = 30
"""Seconds without an answer before a service is given up. Larger ones make a wrong endpoint look like a slow one."""

LARGEST = 64 * 2**30
"""Bytes that are taken from an https:// address, whose size nobody has promised: a limit to what it can fill."""

CHECK_NAME = tr("Check the name, and that your credentials may list what is there.")

_CREDENTIALS = tr(
    "Check your credentials and their rights. They come from the environment or a profile: for s3://, AWS_PROFILE, or "
    "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. The page on object storage names the others."
)

CAUSES: tuple[tuple[str, Text, Text], ...] = (
    (r"NO_SUCH_BUCKET|NoSuchBucket|ContainerNotFound", tr("there is no such bucket"), CHECK_NAME),
    (
        r"ACCESS_DENIED|AccessDenied|INVALID_ACCESS_KEY|InvalidAccessKey|SIGNATURE|INVALID_CLIENT_TOKEN|MISSING_AUTH"
        r"|credential|\b40[13]\b|Forbidden|Unauthorized|PERMISSION_DENIED|UNAUTHENTICATED",
        tr("access is denied"),
        _CREDENTIALS,
    ),
    (
        r"CERTIFICATE|certificate|SSL peer",
        tr("the server's certificate is not trusted"),
        tr("Check the address. For a certificate authority of your own, set SSL_CERT_FILE."),
    ),
    (r"curlCode: 28|timed? ?out|TIMEOUT", tr("did not answer in time"), tr("Check the network, and run again.")),
    (
        r"NETWORK_CONNECTION|curlCode|onnection|resolve|Name or service|unreachable|error sending request",
        tr("cannot be reached"),
        tr("Check the network and the address. For s3:// at a service that is not Amazon's, set AWS_ENDPOINT_URL."),
    ),
    (r"HTTP Error 30\d", tr("leads to an address that is not encrypted"), tr("Download the file yourself.")),
    (
        r"\b301\b|PERMANENT_REDIRECT|PermanentRedirect|AUTHORIZATION_HEADER_MALFORMED",
        tr("the bucket is in another region"),
        tr("Set AWS_REGION."),
    ),
    (r"PATH_NOT_FOUND|not exist|No such file|\b404\b|NotFound", tr("no such file"), CHECK_NAME),
    (
        r"No space left",
        tr("there is no space left to copy it"),
        tr("Free some space, or set TMPDIR to a directory on a larger disk."),
    ),
    (r"\b5\d\d\b|SLOW_DOWN|SERVICE_UNAVAILABLE", tr("the service is not available"), tr("Run again later.")),
)
"""What services complain of, as our sentences. Theirs are not repeated: they name keys, requests and signatures."""


@contextmanager
def explain_failures(url: str, *, writing: bool = False) -> Iterator[None]:
    """A block that speaks to a service: what goes wrong there is told in our words, with the place and a remedy."""
    try:
        yield
    except (OSError, ValueError, NotImplementedError) as error:
        raise service_error(error, url, writing=writing) from None


def service_error(error: Exception, url: str, *, writing: bool = False) -> InputError:
    """What a service or its library complains of, without its words."""
    text = f"{type(error).__name__} {error}"
    unknown = (tr("cannot be used: {kind}", kind=type(error).__name__), tr("Check the address."))
    what, remedy = next(((what, remedy) for mark, what, remedy in CAUSES if re.search(mark, text)), unknown)
    if writing:
        return OutputError(what, where=url, remedy=remedy, code="COBOGO-OUTPUT-WRITE")
    return DataError(what, where=url, remedy=remedy, code="COBOGO-DATA-FILE")


@contextmanager
def open_https(url: str) -> Iterator[Any]:
    """A stream of what an address gives. Every address that it leads to must be https://, too."""
    from urllib.error import HTTPError
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class Encrypted(HTTPRedirectHandler):
        def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
            encrypted = newurl.lower().startswith("https://")
            return super().redirect_request(req, fp, code, msg, headers, newurl) if encrypted else None

    with explain_failures(url):
        try:
            answer = build_opener(Encrypted).open(Request(url), timeout=PATIENCE)
        except HTTPError as refusal:
            refusal.close()
            raise
        with answer:
            yield _Whole(answer, url)


class _Whole:
    """A stream that must end where its sender said that it would, and before it is too large."""

    def __init__(self, answer: Any, url: str) -> None:
        self._answer, self._url, self._read = answer, url, 0
        length = answer.headers.get("Content-Length")
        self._length = None if length is None else int(length)

    def read(self, size: int) -> bytes:
        """The next bytes."""
        if max(self._read, self._length or 0) > LARGEST:
            raise self._error(tr("is larger than {most:,} bytes", most=LARGEST))
        piece = bytes(self._answer.read(size))
        self._read += len(piece)
        if not piece and self._length not in (None, self._read):
            raise self._error(tr("ended before all of it had arrived"))
        return piece

    def _error(self, what: Text) -> DataError:
        remedy = tr("Download it yourself, and give the file.")
        return DataError(what, where=self._url, remedy=remedy, code="COBOGO-DATA-FILE")

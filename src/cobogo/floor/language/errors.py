"""Errors that travel: several as one, as JSON and back, with values hidden; and the operating system's, in words that
can be translated. Texts keep their templates."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from cobogo.errors import ENDS, CobogoError, PolicyError
from cobogo.floor.language.text import Text, change, from_json, join, to_json, tr, trn


def gather_errors(errors: Sequence[CobogoError], name: str) -> PolicyError:
    """One error for everything that is wrong with a file. Each error's ``where`` is a place within the file.

    >>> wrong = [PolicyError("unknown key", where="data.pth"), PolicyError("must be a number", where="k")]
    >>> print(gather_errors(wrong, "policy.toml"))
    policy.toml: 2 errors:
    data.pth: unknown key.
    k: must be a number.
    """
    if len(errors) == 1:
        (one,) = errors
        return PolicyError(one.what, where=join([name, one.where or ""], ", "), remedy=one.remedy, code=one.code)
    count = trn("{n} error:", "{n} errors:", n=len(errors))
    codes = {error.code for error in errors}
    code = codes.pop() if len(codes) == 1 else PolicyError.code
    found = PolicyError(join([count, *map(_line, errors)], "\n"), where=name, code=code)
    found.errors = tuple(errors)
    return found


def _line(error: CobogoError) -> str:
    """An error as one line of a list."""
    stop = "" if error.what.endswith(ENDS) else "."
    template = ("{where}: " if error.where else "") + "{what}" + stop + (" {remedy}" if error.remedy else "")
    return Text(template, None, {"where": error.where, "what": error.what, "remedy": error.remedy})


def error_to_json(error: CobogoError) -> dict[str, Any]:
    """An error for programs: its code, the sentence, and the template and values of each part."""
    parts = {"what": error.what, "where": error.where, "remedy": error.remedy}
    each = {"errors": [error_to_json(one) for one in error.errors]} if error.errors else {}
    return {
        "code": error.code,
        "message": error.message,
        **{name: to_json(part) for name, part in parts.items()},
        **each,
    }


def error_from_json(content: Mapping[str, Any]) -> CobogoError:
    """The error again, to be said in any language."""
    what, where, remedy = (from_json(content[name]) for name in ("what", "where", "remedy"))
    return CobogoError(what, where=where, remedy=remedy, code=content["code"])


def change_error(error: CobogoError, how: Callable[[str], str]) -> CobogoError:
    """An error with every value in it changed, such as a path that its reader must not see."""
    parts = (None if part is None else change(part, how) for part in (error.what, error.where, error.remedy))
    what, where, remedy = parts
    return CobogoError(what or "", where=where, remedy=remedy, code=error.code)


@contextmanager
def rename_in_errors(name: str, shown: str) -> Iterator[None]:
    """A block whose errors call something by the name that the user gave it, such as the source of a copy."""
    try:
        yield
    except CobogoError as error:
        for part in ("what", "where", "remedy"):
            text = getattr(error, part)
            setattr(error, part, None if text is None else change(text, lambda value: value.replace(name, shown)))
        error.args = (error.what, error.where, error.remedy)
        raise


_REASONS = {
    errno.ENOENT: tr("No such file or directory"),
    errno.EACCES: tr("Permission denied"),
    errno.EPERM: tr("Operation not permitted"),
    errno.EEXIST: tr("File exists"),
    errno.EISDIR: tr("Is a directory"),
    errno.ENOTDIR: tr("Not a directory"),
    errno.ENOTEMPTY: tr("Directory not empty"),
    errno.ENAMETOOLONG: tr("File name too long"),
    errno.ENOSPC: tr("No space left on device"),
    errno.EROFS: tr("Read-only file system"),
    errno.EMFILE: tr("Too many open files"),
    errno.ELOOP: tr("Too many levels of symbolic links"),
    errno.EINVAL: tr("Invalid argument"),
    errno.EIO: tr("Input/output error"),
}


def reason(error: OSError) -> str:
    """Why the system refused.

    >>> reason(FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))).template
    'No such file or directory'
    >>> reason(OSError(errno.EINVAL, tr("it is not a regular file")))
    'it is not a regular file'
    """
    number = error.errno or 0
    own = error.strerror if error.strerror != os.strerror(number) else None  # what the program itself has to say
    return own or _REASONS.get(number) or error.strerror or type(error).__name__

"""Why the operating system refused a file, in words that can be translated."""

from __future__ import annotations

import errno
import os

from cobogo.floor.language.text import tr

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

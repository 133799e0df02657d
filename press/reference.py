"""The pages of the reference, from the docstrings, and the map of the documents: none of them lies in ``docs``.

MkDocs loads this file as a hook. A thing whose docstring lacks a part still has a page; that it lacks one fails a test.
"""

from __future__ import annotations

from typing import Any

from mkdocs.structure.files import File, Files

from cobogo.tell.reference import documents
from cobogo.tell.reference.pages import pages


def on_files(files: Files, config: Any) -> Files:
    """MkDocs asks this when it has found the pages of ``docs``."""
    others = {file.src_uri for file in files}
    for path, text in {**pages(), **documents.pages(others)}.items():
        files.append(File.generated(config, path, content=text))
    return files

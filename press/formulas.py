"""Formulas of the pages: ``$…$`` in a line and ``$$…$$`` on lines of their own become MathML when the site is built.

MathML is drawn by the browser itself, so that no script and no network are needed. MkDocs loads this file as a hook. A
formula that is no LaTeX fails the build and names itself. A dollar sign of money or of a shell is written ``\\$`` where
it is not in code; inside code nothing is a formula.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from markdown import Markdown
from markdown.blockprocessors import BlockProcessor
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor

INLINE = r"(?<![\\$\w])\$(?=\S)([^$\n]+?)(?<=\S)\$(?![\w$])"
SPACE = "{http://www.w3.org/1998/Math/MathML}"


def mathml(latex: str, display: str = "inline") -> ElementTree.Element:
    """A formula as a MathML element, with the LaTeX it came from for those who hear or copy it."""
    from latex2mathml.converter import convert

    try:
        element = ElementTree.fromstring(convert(latex.strip(), display=display))
    except Exception as error:
        raise ValueError(f"This is no formula: {latex!r} ({type(error).__name__}).") from error
    for part in element.iter():
        part.tag = part.tag.removeprefix(SPACE)
    element.set("xmlns", SPACE.strip("{}"))
    element.set("aria-label", latex.strip())
    return element


class Inline(InlineProcessor):
    """``$x^2$`` within a line."""

    def handleMatch(self, m: re.Match[str], data: str) -> Any:  # type: ignore[override]  # noqa: ARG002, N802
        return mathml(m.group(1)), m.start(0), m.end(0)


class Display(BlockProcessor):
    """A paragraph that begins and ends with ``$$``."""

    def test(self, parent: ElementTree.Element, block: str) -> bool:  # noqa: ARG002
        return re.fullmatch(r"\s*\$\$.+?\$\$\s*", block, re.DOTALL) is not None

    def run(self, parent: ElementTree.Element, blocks: list[str]) -> None:
        holder = ElementTree.SubElement(parent, "div", {"class": "formula"})
        holder.append(mathml(blocks.pop(0).strip().strip("$"), "block"))


class Formulas(Extension):
    """Both of them, for Python-Markdown."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.ESCAPED_CHARS = [*md.ESCAPED_CHARS, "$"]
        md.inlinePatterns.register(Inline(INLINE, md), "formula", 185)  # after code, before escapes
        md.parser.blockprocessors.register(Display(md.parser), "formula-block", 75)


def on_config(config: Any) -> Any:
    """MkDocs asks this before it builds."""
    config.markdown_extensions.append(Formulas())
    return config

r"""Formulas: LaTeX between dollar signs, rendered as plain text for terminals.

Only the commands listed here are allowed, so that a test finds a typing error before a reader does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

SYMBOLS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "Gamma": "Γ", "delta": "δ", "Delta": "Δ", "varepsilon": "ε", "theta": "θ",
    "eta": "η", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "pi": "π", "rho": "ρ", "sigma": "σ", "Sigma": "Σ",
    "tau": "τ", "phi": "φ", "Phi": "Φ", "chi": "χ", "omega": "ω", "Omega": "Ω", "xi": "ξ", "zeta": "ζ", "ell": "ℓ",
    "infty": "∞", "emptyset": "∅", "prime": "′", "ast": "*", "star": "⋆", "top": "ᵀ",
    "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "lvert": "|", "rvert": "|",
    "lVert": "‖", "rVert": "‖", "Vert": "‖", "langle": "⟨", "rangle": "⟩", "partial": "∂", "circ": "∘", "neg": "¬",
    "{": "{", "}": "}", "%": "%", "_": "_", "#": "#", "&": "&",
    ",": " ", ";": " ", ":": " ", "!": "", "quad": "  ", "qquad": "    ", " ": " ",
}  # fmt: skip

RELATIONS = {
    "le": "≤", "ge": "≥", "ne": "≠", "approx": "≈", "equiv": "≡", "sim": "~", "propto": "∝", "ll": "≪", "gg": "≫",
    "in": "∈", "ni": "∋", "notin": "∉", "subseteq": "⊆", "supseteq": "⊇", "subset": "⊂", "cup": "∪", "cap": "∩",
    "setminus": "∖", "to": "→", "mapsto": "↦", "gets": "←", "leftrightarrow": "↔", "Rightarrow": "⇒",
    "Leftrightarrow": "⇔", "land": "∧", "lor": "∨", "wedge": "∧", "oplus": "⊕", "times": "×", "cdot": "·", "pm": "±",
    "mid": "|", "colon": ":", "bmod": "mod", "ldots": "…", "cdots": "⋯",
}  # fmt: skip

OPERATORS = {
    "sum": "Σ", "prod": "∏", "int": "∫", "bigcup": "⋃", "bigcap": "⋂", "forall": "∀", "exists": "∃",
    **{word: word for word in ("ln", "log", "exp", "max", "min", "sup", "inf", "Pr", "arg", "det", "dim", "cos", "sin",
                               "arccos", "gcd", "lim")},
}  # fmt: skip

ACCENTS = {"hat": "\u0302", "bar": "\u0304", "tilde": "\u0303", "vec": "\u20d7", "dot": "\u0307", "overline": "\u0304"}
WORDS = ("text", "mathrm", "operatorname", "mathbf", "mathcal", "mathbb")
SIZES = ("left", "right", "big", "Big", "bigl", "bigr", "Bigl", "Bigr")

_RAISED = str.maketrans("0123456789+-=()niT*′", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵀ*′")
_LOWERED = str.maketrans("0123456789+-=()aeijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_TOKEN = re.compile(r"\\([A-Za-z]+|.)|([{}^_&])|(\s+)|(.)", re.DOTALL)
_FORMULA = re.compile(r"\$([^$]+)\$")


class FormulaError(ValueError):
    """A formula that cannot be read."""


def formulas(text: str) -> list[str]:
    r"""The formulas of a text.

    >>> formulas(r"for $k \ge 2$ and $l$")
    ['k \\ge 2', 'l']
    """
    if text.count("$") % 2:
        raise FormulaError(f"a dollar sign has no partner in {text!r}")
    return [" ".join(found.split()) for found in _FORMULA.findall(text)]


def readable(text: str) -> str:
    """A text with its formulas as plain text."""
    return _FORMULA.sub(lambda found: plain(found[1]), text)


def plain(latex: str) -> str:
    r"""A formula as plain text.

    >>> plain(r"\frac{1}{\lvert E\rvert} \le \frac{1}{k}")
    '1/|E| ≤ 1/k'
    >>> plain(r"p_x \le e^{\varepsilon} q_{x^\prime}")
    'pₓ ≤ e^ε qₓ′'
    >>> plain(r"h \ln \frac{1 - p}{p} + \frac{f}{2}(p + q)")
    'h ln((1 − p)/p) + f/2 (p + q)'
    >>> plain(r"\sqroot{2}")
    Traceback (most recent call last):
    cobogo.tell.reference.formula.FormulaError: \sqroot is not one of the commands that may be used, in \sqroot{2}
    """
    tokens = _Tokens(latex)
    text = _row(tokens, until="")
    return re.sub(r"(?<=[(\[]) | (?=[)\],])", "", re.sub(r" +", " ", text)).strip()


class _Tokens:
    """The tokens of a formula that are not read yet."""

    def __init__(self, latex: str) -> None:
        self.latex = " ".join(latex.split())
        self.left: Iterator[re.Match[str]] = _TOKEN.finditer(self.latex)
        self.here: re.Match[str] | None = next(self.left, None)

    def take(self) -> re.Match[str]:
        if self.here is None:
            raise self.wrong("something is missing at the end")
        taken, self.here = self.here, next(self.left, None)
        return taken

    def wrong(self, what: str) -> FormulaError:
        return FormulaError(f"{what}, in {self.latex}")


def _row(tokens: _Tokens, until: str) -> str:
    """Everything up to a closing brace, or to the end."""
    text = ""
    while True:
        if tokens.here is None:
            if until:
                raise tokens.wrong("a brace is not closed")
            return text
        if tokens.here[2] == "}":
            if not until:
                raise tokens.wrong("a brace is closed that was not opened")
            tokens.take()
            return text
        text += _one(tokens, text)


def _one(tokens: _Tokens, before: str) -> str:
    """The next element, as it is written after the text before it."""
    token = tokens.take()
    command, mark, space, letter = token.groups()
    if command is not None:
        return _command(tokens, command, before)
    if mark == "{":
        return _row(tokens, until="}")
    if mark in ("^", "_"):
        return _script(_argument(tokens), raised=mark == "^")
    if mark:
        raise tokens.wrong(f"{mark} has no place")
    if space:
        return " "
    return f" {letter} " if letter in "=<>" else "−" if letter == "-" else letter


def _command(tokens: _Tokens, command: str, before: str) -> str:
    if command in SIZES:
        return ""
    if command in SYMBOLS:
        _skip(tokens)
        return SYMBOLS[command]
    if command in RELATIONS:
        return f" {RELATIONS[command]} "
    if command in OPERATORS:
        gap = " " if before and before[-1].isalnum() else ""
        text = gap + OPERATORS[command]
        _skip(tokens)
        while tokens.here is not None and tokens.here[2] in ("^", "_"):
            text += _one(tokens, text)
        follows = tokens.here[0] if tokens.here is not None else ""
        if follows.startswith("\\frac") and OPERATORS[command].isalpha() and OPERATORS[command].islower():
            return f"{text}({_one(tokens, text).strip()})"
        return text if follows[:1] in ("", "(", "[", "{", "}") or follows == "\\left" else f"{text} "
    if command in WORDS:
        return _argument(tokens, words=True)
    if command in ACCENTS:
        return _argument(tokens) + ACCENTS[command]
    if command in ("frac", "tfrac", "dfrac"):
        text = f"{_bracket(_argument(tokens))}/{_bracket(_argument(tokens))}"
        follows = tokens.here[0] if tokens.here is not None else ""
        return f"{text} " if follows == "(" or follows[:1].isalnum() else text
    if command == "binom":
        return f"C({_argument(tokens)}, {_argument(tokens)})"
    if command == "sqrt":
        return f"√{_bracket(_argument(tokens))}"
    raise tokens.wrong(f"\\{command} is not one of the commands that may be used")


def _skip(tokens: _Tokens) -> None:
    """Skip the space that ends a command."""
    if tokens.here is not None and tokens.here[3]:
        tokens.take()


def _argument(tokens: _Tokens, words: bool = False) -> str:
    _skip(tokens)
    if tokens.here is None:
        raise tokens.wrong("something is missing at the end")
    text = _one(tokens, "")
    return text if words else text.strip()


def _bracket(text: str) -> str:
    """Put brackets around a text of more than one element."""
    inner = re.sub(r"^\|[^|]*\|$|^\([^()]*\)$", "x", text)
    return text if re.fullmatch(r"[\w.′*∞̂̄-]+(\([^()]*\))?", inner) else f"({text})"


def _script(text: str, *, raised: bool) -> str:
    shown = text.replace("−", "-").translate(_RAISED if raised else _LOWERED)
    if shown != text and not any(sign in shown for sign in text if sign not in "*′"):
        return shown
    if text in ("ᵀ", "′", "*", "⋆"):
        return text
    mark = "^" if raised else "_"
    return f"{mark}{text}" if len(text) == 1 else f"{mark}({text})"

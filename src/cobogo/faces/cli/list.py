"""The commands ``list``, ``explain``, ``example`` and ``schema``: what can be asked for, what each thing is, small
tables to try it on, and what editors know of policies."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cobogo.errors import InputError
from cobogo.faces.cli import console, language
from cobogo.faces.cli.options import Json
from cobogo.floor.language import Speech, tr

if TYPE_CHECKING:
    from cobogo.tell.reference.documents import Item
    from cobogo.tell.reference.glossary import Term
    from cobogo.tell.reference.sections import Entry

WIDEST = 100
GLOSSARY = "glossary"
DOCUMENTS = "documents"

HOW = tr(
    "`cobogo example documents` writes the tables on which these commands run. Run them in that directory, in their "
    "order. A line after → is what a command says, among other things, in English (`--lang en`). Lines that begin with "
    ">>> are Python, after these:"
)

HEADINGS = {
    "Formula": tr("Formula"),
    "Example": tr("Example"),
    "Guarantee": tr("Guarantee"),
    "Limits": tr("Limits"),
    "Cost": tr("Cost"),
    "Paper": tr("Paper"),
}
"""The parts of an explanation."""


def list_(
    what: Annotated[
        str | None,
        typer.Argument(
            help="models, metrics, algorithms, engines, attacks, mechanisms or glossary; everything if not given.",
            show_default=False,
            metavar="KIND",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List what a policy can ask for, and the words of the glossary."""
    from cobogo.tell.reference.glossary import TERMS
    from cobogo.tell.reference.sections import SECTIONS, listing, lists

    say = language.terminal_speech()
    kinds = [*lists(), GLOSSARY]
    wanted = kinds if what is None else [what]
    if as_json:
        words = [{"name": str(term.title(say)), "about": say(term.definition)} for term in TERMS]
        found = {
            one: words if one == GLOSSARY else [{"name": name, "about": about} for name, about in listing(one)]
            for one in wanted
        }
        console.say_json(found if what is None else found[what])
        return
    blocks = []
    if what not in (None, GLOSSARY):
        listing(str(what))  # refuses what there is no list of
    for section in SECTIONS.values():
        rows = [row for one in wanted for row in section.rows(one, say)]
        if rows:
            blocks.append(f"{_wrap(f'{say(section.title)}. {say(section.about)}', '')}\n\n{_table(rows)}")
    if GLOSSARY in wanted:
        rows = [[term.title(say), say(term.definition)] for term in TERMS]
        title = say("Glossary. The words of the field.")
        blocks.append(f"{title}\n\n{_table(rows)}")
    console.say("\n\n".join(blocks))
    more = say("`cobogo explain NAME` says more about each.")
    console.say("\n" + _wrap(more, ""))


def _table(rows: list[list[str]]) -> str:
    width = _width()
    most = width // 2
    rows = [[name if len(name) <= most else f"{name[: most - 1]}…", about] for name, about in rows]
    return console.table([tr("name"), tr("what it is")], rows, width=width)


def explain(
    name: Annotated[
        str,
        typer.Argument(
            help="The name of a model, metric, algorithm, method, mechanism or attack, a word of the glossary, or "
            "documents."
        ),
    ],
    part: Annotated[
        list[str] | None,
        typer.Argument(
            help="Of documents: one of them, by its name or number, and a section or words of it; or errata.",
            show_default=False,
            metavar="PART",
        ),
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--kind", help="The kind of thing, where several have the name.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Explain a name: its definition, parameters, formula, example, guarantee, limits, cost and paper."""
    if name == DOCUMENTS:
        _explain_documents(part or [], as_json)
        return
    if part:
        raise InputError(
            tr("only documents have parts"), remedy=tr("Type: {command}", command=f"cobogo explain {name}")
        )
    from cobogo.tell.reference import explain as reference
    from cobogo.tell.reference.sections import lists

    if kind is None and name in (*lists(), GLOSSARY):
        list_(name, as_json)
        return
    if as_json:
        console.say_json(reference.explain(name, kind).as_dict())
        return
    meant = reference.resolve(name, kind)
    if isinstance(meant, tuple):
        _explain_entry(*meant)
    else:
        _explain_term(meant)


def example(
    name: Annotated[str | None, typer.Argument(help="Which examples: `cobogo example` alone lists them.")] = None,
    directory: Annotated[
        Path | None, typer.Argument(help="A directory that does not exist yet; named like the examples if not given.")
    ] = None,
) -> None:
    """Write examples to try commands on: invented data, with policies. Without a name, list them."""
    from cobogo.examples import SETS, write_set

    say = language.terminal_speech()
    if name is None:
        console.say(_table([[key, say(text)] for key, text in SETS.items()]))
        return
    if name not in SETS:
        raise InputError(
            tr('there are no examples called "{name}"', name=name),
            where="cobogo example",
            remedy=tr("There are: {names}.", names=", ".join(SETS)),
        )
    place = directory or Path(name)
    written = write_set(name, place)
    console.say(say.plural("{n} file in {directory}", "{n} files in {directory}", n=len(written), directory=place))
    console.say(say(NEXT[name]))


NEXT = {
    "hospital": tr("Go there, and begin with: cobogo inspect patients.csv --write policy.toml"),
    "documents": tr("`cobogo explain documents` says what each document describes, and which command reproduces it."),
}
"""What to do with a set of examples."""


def schema() -> None:
    """Print the JSON Schema of policies, with which editors complete and check them."""
    from cobogo.tell.reference.schema import policy_schema

    console.say_json(policy_schema())


def _explain_documents(parts: list[str], as_json: bool) -> None:
    from cobogo.tell.reference.documents import PRELUDE, as_rows, choose, in_language

    say, chosen = language.terminal_speech(), choose(parts)
    if as_json:
        console.say_json(as_rows(chosen))
        return
    for document, items in chosen:
        if items:
            console.say(_wrap(f"{document.number} {document.name}. {document.cited}", ""))
            console.say(_wrap(in_language(document.about, say), "") + "\n")
        for item in items:
            _explain_item(item, say)
    console.say(_wrap(say(HOW), ""))
    console.say(textwrap.indent("\n".join(PRELUDE), "  "))


def _explain_item(item: Item, say: Speech) -> None:
    """Print one item of a document: what it is, how to reproduce it, what comes out, what is wrong there."""
    from cobogo.tell.reference.documents import in_language

    console.say(_wrap(f"§ {item.section}  {in_language(item.text, say)}", ""))
    if item.page:
        console.say(_wrap(say("More in the documentation: {page}", page=f"{item.page}.md"), "  "))
    if item.see:
        console.say(_wrap(say(tr("The same as {place}.", place=item.see)), "  "))
    if item.run:
        console.say(textwrap.indent("\n".join([*item.lines, *(f"→ {line}" for line in item.result)]), "  "))
    if item.erratum:
        console.say(_wrap(f"{say(tr('Erratum'))}: {in_language(item.erratum, say)}", "  "))
    console.say("")


def _explain_term(term: Term) -> None:
    say = language.terminal_speech()
    kind = say("glossary")
    console.say(f"{term.title(say)} ({kind})\n")
    console.say(_wrap(say(term.definition), ""))
    if others := term.others(say):
        also = say("Also called: {names}.", names=", ".join(others))
        console.say("\n" + _wrap(also, ""))
    if term.policy:
        _say_heading(tr("In a policy"))
        console.say(_code(term.policy))
    more = say("More in the documentation: {page}", page=f"{term.guide}.md")
    console.say("\n" + _wrap(more, ""))


def _explain_entry(found: str, entry: Entry) -> None:
    from cobogo.tell.reference.formula import readable
    from cobogo.tell.reference.parameters import bounds_text, default_text, policy_lines
    from cobogo.tell.reference.sections import SECTIONS

    say, section = language.terminal_speech(), SECTIONS[found]
    card = section.cards()[entry.name]
    console.say(f"{entry.name} ({say(section.one)})\n")
    console.say(_wrap(readable(_translate(entry.definition, say)), ""))
    asked = card.parameters() if section.asks else ()
    if asked:
        _say_heading(tr("Parameters"))
    for one in asked:
        console.say(_wrap(f"{one.name}: {say(bounds_text(one.bounds))}; {say(default_text(one))}", "  "))
    if lines := policy_lines(found, card):
        _say_heading(tr("In the file of a collection") if found == "collecting" else tr("In a policy"))
        console.say(_code("\n".join(lines)))
    for part, text in entry.parts.items():
        said, mark, code = text.partition(">>> ") if part == "Example" else (text, "", "")
        where = say(" (in {module})", module=entry.module) if mark else ""
        _say_heading(say(HEADINGS[part]) + where)
        if said.strip():
            console.say(_wrap(readable(_translate(said, say)), "  "))
        if mark:
            console.say(_code(mark + code))


def _say_heading(text: str) -> None:
    """Print what a part begins with, after an empty line."""
    console.say("\n" + _wrap(language.terminal_speech()(text), ""))


def _translate(text: str, say: Speech) -> str:
    """A text of a docstring, paragraph by paragraph; one that has no translation stays English as a whole."""
    from cobogo.tell.reference.sections import paragraphs

    return "\n\n".join(say(paragraph) for paragraph in paragraphs(text))


def _width() -> int:
    """As wide as the terminal, and no wider than is easy to read."""
    return min(console.terminal_width(), WIDEST)


def _wrap(text: str, margin: str) -> str:
    """Paragraphs that fit into the terminal."""
    return "\n\n".join(
        textwrap.fill(
            " ".join(paragraph.split()),
            _width(),
            initial_indent=margin,
            subsequent_indent=margin,
            break_on_hyphens=False,
        )
        for paragraph in text.replace("``", "`").strip().split("\n\n")
    )


def _code(text: str) -> str:
    """Lines of code, indented; one that is too long goes on further to the right."""
    lines = (
        textwrap.wrap(
            line,
            _width(),
            initial_indent="  ",
            subsequent_indent=" " * 10,
            break_on_hyphens=False,
            replace_whitespace=False,
            drop_whitespace=False,
        )
        for line in text.splitlines()
    )
    return "\n".join("\n".join(line) for line in lines)

"""What a policy can ask for, with one line about each."""

from __future__ import annotations

from cobogo.errors import PolicyError


def catalogue(what: str) -> list[tuple[str, str]]:
    """Names and first sentences of everything of a kind."""
    from cobogo.tell.reference.kinds import KINDS

    if what == "engines":
        from cobogo.data.table.connect import ABOUT

        return list(ABOUT.items())
    found = [
        (name, entries[name].summary + (f" ({source.remark})" if source.remark else ""))
        for kind in KINDS.values()
        if kind.listed == what
        for entries in (kind.entries(),)
        for source in kind.sources
        for name in source.things()
    ]
    if not found:
        raise PolicyError(
            f"there is no list of {what!r}",
            where="cobogo list",
            remedy="Ask for models, metrics, algorithms, engines, attacks or mechanisms.",
        )
    return found

"""How much of what points at people is found in made-up notes, and how much of what is masked does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.measure import Result, once
from cobogo.examples.notes import KINDS, Note, generate_notes
from cobogo.publish.mask.free_text import find_mentions, mask_text

NOTES = 3_000
WRITTEN = ("usual", "capitals", "lower")


def recall(notes: Sequence[Note]) -> dict[str, float]:
    """The share of the mentions of each kind all of whose letters and digits are masked."""
    found: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    for note in notes:
        masked = {place for start, end, _ in find_mentions(note.text) for place in range(start, end)}
        for start, end, kind in note.mentions:
            found[kind].append(masked.issuperset(n for n in range(start, end) if note.text[n].isalnum()))
    return {kind: sum(hits) / len(hits) for kind, hits in found.items()}


def precision(notes: Sequence[Note]) -> float:
    """The share of what is masked that has to do with a mention."""
    hits = [
        any(first < end and start < last for first, last, _ in note.mentions)
        for note in notes
        for start, end, _ in find_mentions(note.text)
    ]
    return sum(hits) / len(hits)


def free_text(_directory: Path, count: int = NOTES) -> Iterator[Result]:
    """Notes as people write them, all in capitals, and all in lower case."""
    for written in WRITTEN:
        notes = generate_notes(count, written=written)
        spent = once(lambda notes=notes: [mask_text(note.text) for note in notes])  # type: ignore[misc]
        shares = {**recall(notes), "precision": precision(notes)}
        note = ", ".join(f"{name} {share:.3f}" for name, share in shares.items())
        yield Result(f"free text: {count:,} notes, {written}", spent, note=note)

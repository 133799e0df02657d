"""The figures of the tutorials, from the very files that the tutorials show."""

from __future__ import annotations

import contextlib
import runpy
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
from press.blocks import ROOT, blocks, command

from figures.curator import probability
from figures.drawing import BRICK, INK, MIST, SAND, keep, sheet

SIZES = {"1": (1, 1), "2": (2, 2), "3–4": (3, 4), "5–9": (5, 9), "10–19": (10, 19), "20 and more": (20, 10**9)}


@contextlib.contextmanager
def files_of(tutorial: str):  # type: ignore[no-untyped-def]
    """A directory with the files that a tutorial shows, to work in."""
    text = (ROOT / "docs" / "tutorials" / f"{tutorial}.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as here, contextlib.chdir(here):
        for block in blocks(text):
            if block.title:
                Path(block.title).write_text(block.body, encoding="utf-8")
        yield Path(here)


def publish(path: Path) -> None:
    """How many records stand in classes of which size, before and after."""
    import pandas as pd

    import cobogo as cb

    with files_of("publish"):
        runpy.run_path("people.py")
        patients = pd.read_csv("patients.csv", dtype=str)
        released = cb.anonymize("stronger.toml").to_pandas()
    figure, axes = sheet("Records by how many share their age, sex and district", panels=2)
    for panel, frame, title, color in zip(
        axes, (patients, released), ("as collected", "as released"), (INK, BRICK), strict=True
    ):
        sizes = Counter(frame.groupby(["age", "sex", "district"]).size())
        counts = [sum(size * times for size, times in sizes.items() if a <= size <= b) for a, b in SIZES.values()]
        panel.bar(list(SIZES), counts, color=color, width=0.7)
        for place, count in enumerate(counts):
            panel.text(place, count + 6, str(count), ha="center", fontsize=8, color=INK)
        panel.set_title(title, fontsize=9, color=INK)
        panel.set_ylim(0, 420)
        panel.set_xlabel("records that look alike", fontsize=8)
    axes[0].set_ylabel("records", fontsize=8)
    keep(figure, path)


def answer(path: Path) -> None:
    """The law of a noisy count, with a worker and without."""
    from cobogo.promises.mechanisms import Laplace

    figure, axes = sheet("How likely each answer is: with a worker, and without", panels=2)
    for panel, (name, epsilon) in zip(axes, {"ε = 0.1": Fraction(1, 10), "ε = 1": Fraction(1)}.items(), strict=True):
        noise = Laplace(1, epsilon)
        reach = 40 if epsilon < 1 else 8
        for count, color, label in ((712, INK, "712 workers"), (711, BRICK, "711 workers")):
            there = np.arange(712 - reach, 712 + reach + 1)
            away = np.abs(there - count)
            likely = [probability(noise, int(distance)) for distance in away]
            panel.step(there, likely, where="mid", color=color, label=label)
        panel.set_title(name, fontsize=9, color=INK)
        panel.set_xlabel("the answer", fontsize=8)
        panel.legend(frameon=False, fontsize=8)
    axes[0].set_ylabel("probability", fontsize=8)
    keep(figure, path)


def collect(path: Path) -> None:
    """What was said, what was made of it and what was true, at three prices."""
    from cobogo import collect as ldp

    found = {}
    with files_of("collect") as here:
        runpy.run_path("answers.py")
        answers = Path("answers.csv").read_text(encoding="utf-8").split()[1:]
        description = Path("paid.toml").read_text(encoding="utf-8")
        for epsilon in (0.5, 1.0, 3.0):
            Path("paid.toml").write_text(description.replace("epsilon = 1.0", f"epsilon = {epsilon}"), encoding="utf-8")
            command(f"cobogo collect encode paid.toml answers.csv --column paid --out {epsilon}.bin --seed 5", "figure")
            command(f"cobogo collect aggregate paid.toml {epsilon}.bin --out c", "figure")
            counts = ldp.Aggregate.load(ldp.Collection.load("paid.toml"), here / "c")
            said = float(np.exp(epsilon) / (1 + np.exp(epsilon)))
            estimate, error = float(counts.findings().shares[0]), float(counts.findings().errors[0]) / len(answers)
            found[epsilon] = (estimate * said + (1 - estimate) * (1 - said), estimate, error)
            Path("c").unlink()
    truth = answers.count("yes") / len(answers)
    figure, (panel,) = sheet("Thirty thousand clients: what they said, and what it tells", height=3.4)
    for place, (_, (heard, estimate, error)) in enumerate(found.items()):
        panel.bar(place - 0.18, heard, 0.32, color=MIST, label="said yes" if not place else None)
        panel.bar(
            place + 0.18, estimate, 0.32, color=BRICK, label="estimated, ± 2 standard errors" if not place else None
        )
        panel.errorbar(place + 0.18, estimate, 2 * error, color=INK, capsize=4)
    panel.axhline(truth, color=INK, linestyle="--", linewidth=1, label=f"true: {truth:.1%}")
    panel.set_xticks(range(len(found)), [f"ε = {epsilon:g}" for epsilon in found])
    panel.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    panel.legend(frameon=False, fontsize=8)
    keep(figure, path)


def locate(path: Path) -> None:
    """Reports of one place at three values of ε."""
    from cobogo.floor.randomness import Seeded
    from cobogo.locate.mechanisms import PlanarLaplace
    from cobogo.locate.places.points import Points

    lon, lat = -38.5267, -3.7319
    metres = 111_195.0
    figure, axes = sheet("Three hundred reports of one place; 95 % lie within the circle", panels=3, height=3.5)
    for panel, epsilon in zip(axes, (0.05, 0.01, 0.004), strict=True):
        noise = PlanarLaplace(epsilon=epsilon)
        said = noise.apply(Points.from_columns([lon] * 300, [lat] * 300), Seeded(3)).points
        panel.scatter(
            (np.asarray(said.lon) - lon) * metres, (np.asarray(said.lat) - lat) * metres, s=5, color=BRICK, alpha=0.6
        )
        turn = np.linspace(0, 2 * np.pi, 200)
        panel.plot(noise.radius(0.95) * np.cos(turn), noise.radius(0.95) * np.sin(turn), color=INK, linewidth=1)
        panel.plot(0, 0, "+", color=INK, markersize=9)
        panel.set(
            xlim=(-1600, 1600), ylim=(-1600, 1600), aspect="equal", xticks=(-1000, 0, 1000), yticks=(-1000, 0, 1000)
        )
        panel.set_title(f"ε = {epsilon:g} per metre: {noise.radius(0.95):,.0f} m", fontsize=9, color=INK)
        panel.set_xlabel("metres", fontsize=8)
        panel.grid(color=SAND, alpha=0.3)
    keep(figure, path)


FIGURES = {
    "tutorial-publish.png": publish,
    "tutorial-answer.png": answer,
    "tutorial-collect.png": collect,
    "tutorial-locate.png": locate,
}

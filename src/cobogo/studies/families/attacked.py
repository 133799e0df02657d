"""The same attackers against every kind of release: who they find is compared with whom they would find anyway.

Each knows the quasi-identifiers of a person. People whose records were released are attacked, and as many others: what
succeeds against both alike is knowledge of the world, and tells of nobody (Giomi et al. 2023).
"""

from __future__ import annotations

import numpy as np

from cobogo.floor.arrays import Floats, Ints
from cobogo.studies.families.view import Original, View

TARGETS = 4000
NAMES = ("re-identification", "membership", "inference")


def attacked(original: Original, view: View, seed: int) -> dict[str, dict[str, float]]:
    """For each attack how often it succeeds against people in the data, against others, and by how much more.

    *Re-identification*: the attacker points at one of the released records that fit all that is known, and takes it for
    the person's: right with one over their number, nothing if none fits. *Membership*: who is nearer to some released
    record than a distance is taken for a member; the distance is the best there is. *Inference*: the most frequent
    sensitive value among the nearest records is guessed.
    """
    if not view.records:
        nothing = {"members": 0.0, "others": 0.0, "excess": 0.0}
        return {name: dict(nothing) for name in NAMES}
    random = np.random.default_rng(seed)
    size = min(TARGETS, len(original.members[0]), len(original.others[0]))
    sides = [
        _against(original, view, np.sort(random.choice(len(people[0]), size, replace=False)), people)
        for people in (original.members, original.others)
    ]
    rates = {"re-identification": [float(side[0].mean()) for side in sides]}
    rates["inference"] = [float(side[2].mean()) for side in sides]
    inside, outside = (np.sort(side[1]) for side in sides)
    steps = np.unique(np.concatenate([inside, outside]))
    caught = [np.searchsorted(one, steps, side="right") / size for one in (inside, outside)]
    best = int(np.argmax(caught[0] - caught[1]))
    rates["membership"] = [float(caught[0][best]), float(caught[1][best])]
    return {
        name: {"members": rates[name][0], "others": rates[name][1], "excess": max(0.0, rates[name][0] - rates[name][1])}
        for name in NAMES
    }


def _against(original: Original, view: View, chosen: Ints, people: tuple[Ints, ...]) -> tuple[Floats, Floats, Floats]:
    """The success of pointing at one record, the distance to the nearest, and whether the guess is right."""
    from cobogo.studies.families import kernels

    targets = np.stack([column[chosen] for column in people], axis=1).astype(np.int64)
    rows, many = np.unique(np.stack([column.codes for column in view.columns], axis=1), axis=0, return_counts=True)
    most = max(column.fits.shape[1] for column in view.columns)
    starts = np.concatenate([[0], np.cumsum([len(column.fits) for column in view.columns])]).astype(np.int64)
    fits = np.zeros((int(starts[-1]), most))
    for start, column in zip(starts, view.columns, strict=False):
        fits[start : start + len(column.fits), : column.fits.shape[1]] = column.fits
    guess = np.ascontiguousarray(view.columns[-1].fits)
    known, values = len(original.known), guess.shape[1]
    _, whole, fitting, votes = kernels.attacked(
        targets, np.ascontiguousarray(rows, dtype=np.int64), many.astype(np.float64), fits, starts, known, guess, values
    )
    pointed = np.where(fitting > 0, 1 / np.maximum(fitting, 1), 0.0)
    return pointed, np.round(whole, 9), (votes.argmax(axis=1) == targets[:, known]).astype(np.float64)

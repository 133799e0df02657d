"""k-anonymity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cobogo.data.classes import Classes
from cobogo.floor.arguments import whole
from cobogo.floor.arrays import Floats, Mask
from cobogo.floor.catalogue import card
from cobogo.promises.models.base import Model, Monotone, Records


@card(
    "k-anonymity",
    plain=(
        "Everybody looks like at least k − 1 others. An attacker who knows a person's quasi-identifiers "
        "finds at least k records, and picks the right one with a probability of at most 1/k. A good "
        "beginning; but all people of a class may still have the same sensitive value."
    ),
    group="identity",
    start={"k": 5},
)
@dataclass(frozen=True)
class KAnonymity(Model):
    r"""At least k people share every released combination of quasi-identifiers.

    The records that share a combination form an equivalence class: an attacker who looks for a person by the
    quasi-identifiers finds a whole class. Where ``data.unit`` names the column that tells people apart, people are
    counted and not records.

    Formula: $\lvert E\rvert \ge k$ for every class $E$ of the release
    Example:
        >>> from cobogo.promises.models.example_classes import classes
        >>> table = classes(disease=[["flu", "flu"], ["cough", "flu", "fever"], ["flu"]])
        >>> model = KAnonymity(k=2)
        >>> model.measure(table).tolist(), model.holds(table, model.measure(table)).tolist()
        ([2.0, 3.0, 1.0], [True, True, False])

    Guarantee: Against record linkage: an attacker who knows only the quasi-identifiers, and that the person is in the
        table, finds the right record with a probability of at most $1/k$.
    Limits: k-anonymity does not look at the sensitive values of a class, which may all be equal: see l-diversity and
        t-closeness. It protects only against knowledge of the quasi-identifiers that the policy names. Two k-anonymous
        releases of the same people can expose a person together.
    Cost: $O(n)$ to count the classes of n distinct tuples; finding the recoding with the smallest loss is NP-hard in
        general.
    Paper: P. Samarati and L. Sweeney, Protecting privacy when disclosing information: k-anonymity and its enforcement
        through generalization and suppression, 1998. L. Sweeney, k-anonymity: a model for protecting privacy,
        International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems, 2002.
    """

    k: int

    records_tell: ClassVar[Records] = Records.TOO_MANY

    def __post_init__(self) -> None:
        whole(self.name, "k", self.k, least=1)

    @property
    def monotone(self) -> Monotone:
        """A class of fewer than k has only parts of fewer than k."""
        return Monotone.EVEN_WITH_SUPPRESSION

    def measure(self, classes: Classes) -> Floats:
        """The size of each class."""
        return classes.sizes.astype(float)

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At least k."""
        return measured >= self.k

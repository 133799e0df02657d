"""Releasing marginals: those that a policy asks for, or those that tell most."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Sequence

from cobogo.publish.recode.marginals.source import Levels, MarginalSource

from cobogo.errors import NoSolution, PolicyError
from cobogo.floor.catalogue import card
from cobogo.floor.progress import Steps
from cobogo.promises.models import Model, Scope
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import Marginalized
from cobogo.release.margins import Attributes, join_tree, without_parts

WIDEST = 4
"""Attributes of a marginal, the sensitive one included, where the policy does not ask for any."""

NOTE = "marginals are counts, and no records: what goes together in none of them is not told"
TOGETHER = (
    "several marginals have the sensitive attribute: together they are safe against who knows a person's values, not "
    "against who knows those of everybody"
)


@card("marginals", group="marginals", guide="algorithms-sensitive", one_table=False)
def marginals(problem: Problem, *, time_limit: float | None = None, progress: Steps | None = None) -> Marginalized:
    r"""Releases several small tables of counts instead of records, each of which satisfies the models, and all of them
    together.

    Each quasi-identifier has one level in all of them. The levels, and without a choice of the policy's the sets of
    attributes, are those that lose least as far as a greedy search finds them.

    Formula: $\mathrm{KL}(p \,\Vert\, \hat{p}) = \sum_x p(x) \ln \frac{p(x)}{\hat{p}(x)}$ with $\hat{p}(x) =
        \frac{\prod_C p_C(x)}{\prod_S p_S(x)}$ over the sets $C$ of attributes and what they have in common, $S$
    Example:
        >>> from cobogo.studies.worked_examples import anonymize_patients
        >>> release = anonymize_patients("marginals")
        >>> release.levels, sorted(release.tables())
        ({'age': 1, 'sex': 0}, ['marginal-1', 'marginal-2'])

    Guarantee: Every table satisfies the models, and so do all combinations of quasi-identifiers that the tables allow
        together.
    Limits: With several tables that have the sensitive attribute, whoever knows everybody's quasi-identifiers can rule
        out more than the joint check does. Sets of attributes with a cycle are refused. A combination that is in no
        table is one that nobody has.
    Cost: $O(a^2 n)$ for each round of the greedy search; up to 200,000 combinations are checked together.
    Paper: D. Kifer and J. Gehrke, Injecting utility into anonymized datasets, SIGMOD 2006.
    """
    _refuse(problem)
    source = MarginalSource(problem)
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    search = _Search(source, deadline, progress or (lambda *_: None))
    levels, sets = search.asked(problem.marginals) if problem.marginals else search.chosen()
    margins = source.margins(sets, levels)
    notes = (NOTE, TOGETHER) if len(margins.telling) > 1 else (NOTE,)
    return Marginalized(
        "marginals",
        margins,
        dict(levels),
        source.divergence(sets, levels),
        search.looked_at,
        search.looked_at,
        notes=notes,
    )


class _Search:
    """From the levels that are sure to do downwards, or from the finest upwards, for as long as less is lost."""

    def __init__(self, source: MarginalSource, deadline: float, progress: Steps) -> None:
        self.source, self.deadline, self.progress = source, deadline, progress
        self.problem = source.problem
        self.lowest = dict(zip(source.quasi, self.problem.lowest, strict=True))
        self.highest = dict(zip(source.quasi, self.problem.highest, strict=True))
        self.looked_at = 0

    def asked(self, wanted: Sequence[Sequence[str]]) -> tuple[Levels, list[Attributes]]:
        """The finest levels found at which the marginals asked for are safe together: from the most general ones, the
        step down that loses least is taken, as long as there is one."""
        sets = without_parts([frozenset(one) for one in wanted])
        levels: Levels = dict(self.highest)
        if not self._holds(sets, levels):
            raise NoSolution(
                "the marginals asked for do not satisfy the models, even at the most general levels",
                remedy="Ask for fewer attributes in each, or for less; hierarchies with a top level * help.",
            )
        while time.monotonic() < self.deadline:
            steps = [step for step in self._steps(levels, -1) if self._holds(sets, step)]
            if not steps:
                break
            levels = min(steps, key=lambda step: self.source.divergence(sets, step))
        return levels, sets

    def chosen(self) -> tuple[Levels, list[Attributes]]:
        """Levels and sets that tell most, as far as steps of one attribute find them."""
        levels: Levels = dict(self.lowest)
        sets = self._best_sets(levels)
        best = math.inf if sets is None else self.source.divergence(sets, levels)
        while time.monotonic() < self.deadline:
            found = []
            for step in itertools.chain(self._steps(levels, 1), self._steps(levels, -1)):
                made = self._best_sets(step)
                if made is not None:
                    found.append((self.source.divergence(made, step), tuple(step.values()), step, made))
            if not found:
                break
            value, _, step, made = min(found, key=lambda one: one[:2])
            if value >= best - 1e-12:
                break
            best, levels, sets = value, step, made
        if sets is None:
            raise NoSolution(
                "no marginals satisfy the models: not even the sensitive attribute by itself does",
                remedy="Ask for less.",
            )
        return levels, sets

    def _best_sets(self, levels: Levels) -> list[Attributes] | None:
        """Every attribute that is safe by itself, the sensitive one with those that tell most of it, and of the others
        those pairs that tell most of each other without a cycle."""
        self.looked_at += 1
        self.progress(self.looked_at, 0)
        source = self.source
        secret = frozenset({source.sensitive})
        if not source.safe(secret, levels):
            return None
        alone = [frozenset({name}) for name in source.quasi if source.safe([name], levels)]
        around = secret
        while len(around) < WIDEST:
            wider = [around | one for one in alone if not one <= around and source.safe(around | one, levels)]
            gains = [(source.together(one - secret, secret, levels), sorted(one), one) for one in wider]
            known = source.together(around - secret, secret, levels) if around - secret else 0.0
            if not gains or (most := max(gains))[0] <= known + 1e-9:
                break
            around = most[2]
        sets = [around]
        pairs = sorted(
            ((-source.together(a, b, levels), sorted(a | b), a | b) for a, b in itertools.combinations(alone, 2)),
        )
        for gain, _, pair in pairs:
            if -gain <= 1e-9 or any(pair <= one for one in sets) or not source.safe(pair, levels):
                continue
            if join_tree(without_parts([*sets, pair])) is not None:
                sets.append(pair)
        return self._widened(without_parts([*sets, *alone]), levels)

    def _widened(self, sets: list[Attributes], levels: Levels) -> list[Attributes]:
        """The same with attributes added to those of quasi-identifiers, first where that tells most."""
        source = self.source
        best = source.divergence(sets, levels)
        while True:
            found = []
            for one, name in itertools.product(sets, source.quasi):
                wider = one | {name}
                if name in one or source.sensitive in one or len(wider) > WIDEST or not source.safe(wider, levels):
                    continue
                tried = without_parts([*(wider if other == one else other for other in sets)])
                if join_tree(tried) is not None:
                    found.append((source.divergence(tried, levels), sorted(wider), tried))
            if not found or (least := min(found))[0] >= best - 1e-9:
                return sets
            best, sets = least[0], least[2]

    def _holds(self, sets: Sequence[Attributes], levels: Levels) -> bool:
        self.looked_at += 1
        self.progress(self.looked_at, 0)
        source = self.source
        return all(source.safe(one, levels) for one in sets) and source.hold(source.margins(sets, levels))

    def _steps(self, levels: Levels, by: int) -> Iterator[dict[str, int]]:
        for name, level in levels.items():
            if self.lowest[name] <= level + by <= self.highest[name]:
                yield {**levels, name: level + by}


def _refuse(problem: Problem) -> None:
    """Marginals protect one sensitive attribute of people with one record each, under models of single classes."""
    where = "recoding.algorithm"
    if problem.table.people is not None or len(problem.table.histograms) != 1:
        raise PolicyError(
            "marginals are for people with one record each and one sensitive attribute",
            where=where,
            remedy="Name one sensitive attribute and no data.unit, or choose another algorithm.",
        )
    if join_tree(without_parts([frozenset(one) for one in problem.marginals])) is None:
        raise PolicyError(
            "the marginals form a cycle: each may be safe, and what follows from all of them together cannot be told",
            where="recoding.marginals",
            remedy="Leave one of the cycle out, or ask for one marginal of all the attributes in it.",
        )
    secret = next(iter(problem.table.histograms))
    telling = sum(secret in one for one in problem.marginals)
    if problem.marginals and not telling:
        raise PolicyError(
            f'none of the marginals has the sensitive attribute "{secret}"',
            where="recoding.marginals",
            remedy=f'Ask for one that has, be it ["{secret}"] alone.',
        )
    for model in problem.promised:
        beyond = model.populations or model.needs_members or model.series or model.blind or model.needs_every_class
        mixed = telling > 1 and type(model).holds_withheld is not Model.holds_withheld  # asks for people, too
        if beyond or mixed or model.scope is not Scope.CLASS:
            raise PolicyError(
                f"{model} cannot be told of marginals, which have no records",
                where=where,
                remedy="Ask for models of single classes, such as k-anonymity and l-diversity, or choose another "
                "algorithm.",
            )

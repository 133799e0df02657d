"""From a policy's ``[synthesis]`` to what will be done. Only declarations are looked at: no row of the data is."""

from __future__ import annotations

from cobogo.data.policy import Policy, Role, Synthesis
from cobogo.data.table.read import Table
from cobogo.errors import PolicyError
from cobogo.promises.mechanisms.base import opendp
from cobogo.promises.payer import Payer, payer_of_curator
from cobogo.publish.synthesize import model
from cobogo.publish.synthesize.cost import Cost
from cobogo.publish.synthesize.domains import declared_domains
from cobogo.publish.synthesize.methods import METHODS, Method
from cobogo.publish.synthesize.synthetic import Synthetic


def make(policy: Policy, table: Table) -> Synthetic:
    """Settle a synthesis: everything that can be refused without a look at the rows is refused here."""
    wanted = policy.synthesis
    assert wanted is not None
    where = f"{policy.name}, synthesis"
    method = METHODS.find(wanted.method, f"{where}.method")
    if policy.privacy is not None:
        raise PolicyError(
            "promises models, and synthetic records have no classes that they could hold of",
            where=f"{policy.name}, privacy",
            remedy="Leave out [privacy]: the guarantee is epsilon and delta under [synthesis].",
        )
    gone = set(policy.with_role(Role.IDENTIFIER))
    names = [name for name in table.columns if name not in gone]
    if not names:
        raise PolicyError("every column is an identifier, so that nothing is left to synthesize", where=where)
    rows = _max_rows(policy, wanted, method, where)
    domains = declared_domains(policy, names)
    if not method.private:
        _refuse_budget(wanted, where)
        model.require_scipy(where)
        return Synthetic(policy, wanted, domains, None, None, rows)
    model.require(where)
    opendp()
    cost = Cost.of(wanted, where)
    return Synthetic(policy, wanted, domains, cost, _payer(policy, wanted, cost, where), rows)


def _payer(policy: Policy, wanted: Synthesis, cost: Cost, where: str) -> Payer | None:
    """The budget that a policy names, in whose measure the cost can be said."""
    if wanted.curator is None:
        return None
    file, dataset, analyst = policy.resolve(wanted.curator), str(wanted.dataset), str(wanted.analyst)
    payer = payer_of_curator(file, dataset, analyst, policy.data.unit, where)
    cost.loss(payer.measure, where)
    return payer


def _max_rows(policy: Policy, wanted: Synthesis, method: Method, where: str) -> int:
    if policy.data.unit is None:
        if wanted.max_rows not in (None, 1):
            raise PolicyError(
                "max-rows bounds the rows of a person, and nobody said what tells people apart",
                where=f"{where}.max-rows",
                remedy="Name the column that does: data.unit.",
            )
        return 1
    if wanted.max_rows is None and method.private:
        raise PolicyError(
            "a person may have several rows, and nobody said how many of them count",
            where=f"{where}.max-rows",
            remedy="Give max-rows: of a person with more, so many are drawn at random; noise grows with it.",
        )
    return wanted.max_rows or 10**6


def _refuse_budget(wanted: Synthesis, where: str) -> None:
    given = [key for key in ("epsilon", "rho", "curator") if getattr(wanted, key) is not None]
    if given:
        raise PolicyError(
            f"{wanted.method} gives no guarantee, whatever {given[0]} says",
            where=f"{where}.{given[0]}",
            remedy="Leave it out, or choose a method with a guarantee: mst, aim, privbayes.",
        )

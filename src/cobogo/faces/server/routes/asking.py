"""The curator over HTTP. Who asks is who the key says: nobody can ask on another's budget."""

from __future__ import annotations

import logging
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException

from cobogo.errors import CobogoError
from cobogo.faces.server import curating
from cobogo.faces.server.access import house, needs
from cobogo.faces.server.house import House
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.roles import Scope
from cobogo.faces.server.routes.common import REFUSALS
from cobogo.faces.server.shapes import AnswerShown, Question

LOG = logging.getLogger("cobogo.faces.server")

router = APIRouter(prefix="/curator", tags=["curator"], responses=REFUSALS)
Here = Annotated[House, Depends(house)]
Analyst = Annotated[Holder, needs(Scope.ASK)]
Overseer = Annotated[Holder, needs(Scope.BUDGETS)]


def _curator(this: House) -> Any:
    """The curator. What is wrong with its file is for whoever runs the server, and in its log."""
    try:
        found = this.curator
    except CobogoError as error:
        LOG.error("the curator cannot be opened: %s", error)
        raise HTTPException(503, "The curator cannot be opened now. The server's log says why.") from None
    if found is None:
        raise HTTPException(404, "This server has no curator.")
    return found


@router.get("/datasets")
def datasets(this: Here, holder: Analyst) -> list[dict[str, Any]]:
    """The data sets that one may ask about, with their declared columns and what is left of one's budget."""
    curator = _curator(this)
    return [
        {
            "name": name,
            "columns": curating.described(dataset),
            "budget": curator.ledger.balance(name, holder.owner).as_dict(),
        }
        for name, dataset in curator.open_to(holder.owner).items()
    ]


@router.post("/explain")
def explain(this: Here, holder: Analyst, question: Question) -> dict[str, Any]:
    """What a question would cost and how far off its answer would be. Reads and spends nothing."""
    session = _curator(this).session(holder.owner)
    explained: dict[str, Any] = session.estimate(
        question.sql, epsilon=question.epsilon, rho=question.rho, delta=question.delta
    ).as_dict()
    return explained


@router.post("/ask")
def ask(this: Here, holder: Analyst, question: Question) -> AnswerShown:
    """Answer a question, and charge it. 409 when the budget does not allow for it."""
    found = (
        _curator(this)
        .session(holder.owner)
        .sql(question.sql, epsilon=question.epsilon, rho=question.rho, delta=question.delta)
    )
    return AnswerShown.model_validate(found.as_dict())


@router.get("/budgets")
def budgets(this: Here, holder: Overseer) -> list[dict[str, Any]]:  # noqa: ARG001
    """What every data set and analyst may spend, has spent and has left."""
    return [balance.as_dict() for balance in curating.everybody(_curator(this))]

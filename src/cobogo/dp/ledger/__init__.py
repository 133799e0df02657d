"""The ledger: what every answer cost, written before the answer is computed, never changed."""

from cobogo.dp.ledger.balance import Balance, Debit
from cobogo.dp.ledger.ledger import Ledger

__all__ = ["Balance", "Debit", "Ledger"]

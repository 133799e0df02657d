"""The ledger: what every answer cost, written before the answer is computed, never changed."""

from cobogo.promises.ledger.balance import Balance, Debit
from cobogo.promises.ledger.ledger import Ledger

__all__ = ["Balance", "Debit", "Ledger"]

"""What the data holder declares: data sets, the unit of privacy, columns, budgets. Nothing is read off the data."""

from cobogo.answer.metadata.columns import Column, Value
from cobogo.answer.metadata.curator_file import CuratorPolicy
from cobogo.answer.metadata.datasets import Budget, Dataset

__all__ = ["Budget", "Column", "CuratorPolicy", "Dataset", "Value"]

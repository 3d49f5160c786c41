"""Sorts strings and bytes by skipping the prefixes they share.

>>> import skipsort
>>> skipsort.sorted(["pear", "apple", "fig"])
['apple', 'fig', 'pear']
"""

from ._external import external_sort
from ._native import Order
from ._sorting import argsort, sorted, top_k

__all__ = ["Order", "argsort", "external_sort", "sorted", "top_k"]

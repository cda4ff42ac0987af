"""Exact minimum-weight perfect matching over costs in several parts.

The parts are folded into one integer for each edge, the most important first, so that no sum of a
less important part can outweigh a more important one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

import numpy as np
import numpy.typing as npt
import rustworkx

Costs = npt.NDArray[np.int64]
Weights = npt.NDArray[np.object_]
Pairs = list[tuple[int, int]]

BITS: Final = 124
"""The matching computes with signed integers of 128 bits and adds a few weights."""

_LARGE: Final = 100
_NEIGHBOURS: Final = 8
_LIGHTEST: Final = 16


def needed_bits(parts: Sequence[Costs]) -> int:
    """Returns the size of a sum of folded costs over a matching."""
    nodes = len(parts[0])
    return sum(_span(part, nodes).bit_length() for part in parts) + nodes.bit_length()


def fold(parts: Sequence[Costs]) -> Weights:
    """Returns one integer for each edge that orders matchings like the parts in turn.

    Raises:
        OverflowError: the sums would not fit; make the parts smaller.
    """
    if needed_bits(parts) > BITS:
        raise OverflowError("the parts of the cost are too large")
    nodes = len(parts[0])
    folded = parts[0].astype(object)
    for part in parts[1:]:
        folded *= _span(part, nodes)
        folded += part
    return folded


def unit_of(parts: Sequence[Costs], at: int) -> int:
    """Returns what 1 in a part is worth in folded costs."""
    return prod(_span(part, len(part)) for part in parts[at + 1 :])


def _span(part: Costs, nodes: int) -> int:
    """Returns a number larger than any sum of this part over a matching."""
    return int(part.max(initial=0)) * (nodes // 2) + 1


def perfect_matching(
    weights: Weights,
    allowed: npt.NDArray[np.bool_],
    floor: Costs | None = None,
    unit: int = 1,
) -> Pairs | None:
    """Returns the perfect matching of least weight, or None if there is none.

    Both matrices are symmetric. Pairs come with the smaller index first, in order.

    `floor` makes large fields fast, without changing the result: its entry of an edge, times
    `unit`, is a weight that the other edges of a matching with this edge have at least. A matching
    among likely edges gives a bound; an edge whose weight and floor exceed the bound is in no best
    matching.
    """
    if floor is None or len(weights) < _LARGE:
        return _solve(weights, allowed)
    likely = allowed & _likely(weights)
    found = _solve(weights, likely)
    if found is None:
        return _solve(weights, allowed)
    bound = sum(weights[pair] for pair in found)
    possible = allowed.copy()
    for row, (weight, rest) in enumerate(zip(weights, floor, strict=True)):  # needs less memory
        possible[row] &= (weight + rest.astype(object) * unit <= bound).astype(bool)
    if not (possible & ~likely).any():
        return found
    return _solve(weights, possible)


def _likely(weights: Weights) -> npt.NDArray[np.bool_]:
    """Returns the lightest edges of each node and those to its neighbours in the order."""
    nodes = len(weights)
    places = np.arange(nodes)
    likely = np.abs(places[:, None] - places[None, :]) <= _NEIGHBOURS
    lightest = np.argpartition(weights.astype(np.float64), _LIGHTEST, axis=1)[:, :_LIGHTEST]
    likely[places[:, None], lightest] = True
    both: npt.NDArray[np.bool_] = likely | likely.T
    return both


def _solve(weights: Weights, allowed: npt.NDArray[np.bool_]) -> Pairs | None:
    nodes = len(weights)
    rows, columns = np.nonzero(np.triu(allowed, 1))
    if not len(rows):
        return [] if not nodes else None
    values = weights[rows, columns]
    values = values.max() + 1 - values
    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph()
    graph.add_nodes_from([None] * nodes)
    graph.add_edges_from(list(zip(rows.tolist(), columns.tolist(), values.tolist(), strict=True)))
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    if 2 * len(found) < nodes:
        return None
    return sorted((min(pair), max(pair)) for pair in found)

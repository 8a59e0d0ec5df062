"""Measuring two sides alternately."""

from collections.abc import Callable
from typing import TypeVar

Setting = TypeVar("Setting")
Value = TypeVar("Value")


def in_turns(rounds: int, *sides: Callable[[], Value]) -> list[list[Value]]:
    """Measures each side once per round, so that a noisy neighbour affects all of them alike.

    A different side begins in each round.
    """
    values: list[list[Value]] = [[] for _ in sides]
    for number in range(rounds):
        order = list(range(len(sides)))
        if number % 2:
            order.reverse()
        for side in order:
            values[side].append(sides[side]())
    return values


def best(settings: list[Setting], measure: Callable[[Setting], float]) -> Setting:
    """The setting with the highest rate in one short trial each, so that every side is measured at its best."""
    return max(settings, key=measure)

"""What Kubernetes adds to CEL, as functions for cel-python: quantities, versions, equality across types.

kubernetes/apiserver:pkg/cel/library (quantity.go, semverlib.go) and cel-go's strings extension, as far as selectors of
devices use them. Only bot.scheduling.dra.cel imports this, when the first selector is evaluated: it costs a quarter of
a second.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import celpy
from celpy import celtypes
from celpy.evaluation import CELEvalError

from bot.domain.quantity import QuantityError, parse
from bot.scheduling.dra import semver

NUMBERS = (celtypes.IntType, celtypes.UintType, celtypes.DoubleType)
Function = Callable[..., Any]


class Quantity:
    """A Kubernetes quantity."""

    __slots__ = ("value",)

    def __init__(self, value: Fraction) -> None:
        self.value: Any = value

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)


class Version(Quantity):
    """A semantic version."""

    __slots__ = ()

    def __init__(self, value: semver.Semver) -> None:
        self.value = value


def _quantity(text: str) -> Quantity:
    try:
        return Quantity(parse(str(text)))
    except QuantityError as error:
        raise ValueError(str(error)) from error


def _is_quantity(text: str) -> celtypes.BoolType:
    try:
        parse(str(text))
    except QuantityError:
        return celtypes.BoolType(False)
    return celtypes.BoolType(True)


def _semver(text: str, loose: bool = False) -> Version:
    found = semver.parse(str(text), loose=bool(loose))
    if found is None:
        raise ValueError(f"{str(text)[:64]!r} is not a semantic version")
    return Version(found)


def _is_semver(text: str, loose: bool = False) -> celtypes.BoolType:
    return celtypes.BoolType(semver.parse(str(text), loose=bool(loose)) is not None)


def _compare(one: Quantity, other: Quantity) -> int:
    if not isinstance(one, Quantity) or type(one) is not type(other):
        raise TypeError("no such overload")
    return int(one.value > other.value) - int(one.value < other.value)


def _whole(one: Quantity) -> celtypes.IntType:
    if one.value.denominator != 1:
        raise ValueError("cannot convert value to integer")
    return celtypes.IntType(int(one.value))


def _sum(one: Quantity, other: Quantity | int, sign: int) -> Quantity:
    return Quantity(one.value + sign * (other.value if isinstance(other, Quantity) else int(other)))


def _equal(one: Any, other: Any) -> Any:
    """Values of different types are different, but numbers are numbers."""
    for value in (one, other):
        if isinstance(value, CELEvalError):
            return value
    if isinstance(one, NUMBERS) and isinstance(other, NUMBERS):
        return celtypes.BoolType(_plain(one) == _plain(other))
    if type(one) is not type(other):
        return celtypes.BoolType(False)
    return celtypes.BoolType(bool(one == other))


def _unequal(one: Any, other: Any) -> Any:
    same = _equal(one, other)
    return same if isinstance(same, CELEvalError) else celtypes.BoolType(not same)


def _plain(value: Any) -> int | float:
    return float(value) if isinstance(value, celtypes.DoubleType) else int(value)


def _ordering(name: str, compare: Callable[[Any, Any], bool]) -> Function:
    """Numbers of different types are compared too; the rest is the library's own."""
    usual: Function = celpy.evaluation.base_functions[name]

    def ordered(one: Any, other: Any) -> Any:
        if isinstance(one, NUMBERS) and isinstance(other, NUMBERS):
            return celtypes.BoolType(compare(_plain(one), _plain(other)))
        return usual(one, other)

    return ordered


def _includes(one: Any, value: Any) -> Any:
    """Whether a list has the value, or is it, where it is no list."""
    return celtypes.BoolType(any(_equal(each, value) for each in (one if isinstance(one, list) else [one])))


FUNCTIONS: dict[str, Function] = {
    "quantity": _quantity,
    "isQuantity": _is_quantity,
    "semver": _semver,
    "isSemver": _is_semver,
    "compareTo": lambda one, other: celtypes.IntType(_compare(one, other)),
    "isGreaterThan": lambda one, other: celtypes.BoolType(_compare(one, other) > 0),
    "isLessThan": lambda one, other: celtypes.BoolType(_compare(one, other) < 0),
    "isInteger": lambda one: celtypes.BoolType(one.value.denominator == 1),
    "asInteger": _whole,
    "asApproximateFloat": lambda one: celtypes.DoubleType(float(one.value)),
    "sign": lambda one: celtypes.IntType((one.value > 0) - (one.value < 0)),
    "add": lambda one, other: _sum(one, other, +1),
    "sub": lambda one, other: _sum(one, other, -1),
    "major": lambda one: celtypes.IntType(one.value.major),
    "minor": lambda one: celtypes.IntType(one.value.minor),
    "patch": lambda one: celtypes.IntType(one.value.patch),
    "includes": _includes,
    "lowerAscii": lambda text: celtypes.StringType(str(text).lower() if str(text).isascii() else text),
    "upperAscii": lambda text: celtypes.StringType(str(text).upper() if str(text).isascii() else text),
    "trim": lambda text: celtypes.StringType(str(text).strip()),
    "_==_": _equal,
    "_!=_": _unequal,
    "_<_": _ordering("_<_", lambda one, other: one < other),
    "_<=_": _ordering("_<=_", lambda one, other: one <= other),
    "_>_": _ordering("_>_", lambda one, other: one > other),
    "_>=_": _ordering("_>=_", lambda one, other: one >= other),
}

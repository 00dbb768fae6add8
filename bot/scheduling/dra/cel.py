"""Whether a device is what a CEL selector asks for: yes, no, or a reason why nobody can say.

cel-python evaluates; it is imported with the first selector. One evaluation costs about half a millisecond and a fleet
has thousands of devices that differ in nothing a selector looks at, so answers are kept by what the expression names.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from bot.domain.dra import Device
from bot.domain.pattern import Pattern

_LONGEST = 10 * 1024  # bytes of an expression that an API server would accept
_LOOPS = Pattern(r"\.\s*(?:all|exists|exists_one|map|filter|transformList|transformMap)\s*\(")
_MOST_LOOPS = 4
_WHOLE = Pattern(
    r"\b(?:size|dyn|type|string)\s*\(|[+\\]|\[\s*[^'\"\s]|(?:attributes|capacity)\s*(?:[=!<>)?:,&|]|in\b|$)"
)
_MISSING = Pattern(r"no such (?:member in mapping|key)")
_WORDS = 200  # characters of a reason that are kept


class Answer(NamedTuple):
    """`matches` is None where nobody can say: `why`. `evaluated` is False where it was us who could not."""

    matches: bool | None
    why: str = ""
    evaluated: bool = True


Program = Callable[[dict[str, Any]], Any]


def matches(expression: str, device: Device, driver: str) -> Answer:
    """Never raises."""
    if (flaw := _flaw(expression)) is not None:
        return flaw
    names, capacities = _named(expression, tuple(device.attributes)), _named(expression, tuple(device.capacity))
    types, attributes, capacity = device.types, device.attributes, device.capacity
    key = (
        expression,
        driver,
        device.shared,
        tuple([(name, types.get(name), attributes[name]) for name in names]),
        tuple([(name, capacity[name].value) for name in capacities]),
    )
    return _kept(key, _Seen(device, names, capacities))


@lru_cache(maxsize=1024)
def _flaw(expression: str) -> Answer | None:
    """Why the expression is not even tried."""
    if not expression or len(expression) > _LONGEST:
        return Answer(None, "CEL expression empty or too long", evaluated=False)
    loops = len(_LOOPS.findall(expression))
    if loops > _MOST_LOOPS or (loops > 1 and len(expression) > _LONGEST // 8):
        return Answer(None, "CEL expression with too many loops", evaluated=False)
    return None


@lru_cache(maxsize=4096)
def _named(expression: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Those that the expression may look at: where it goes through all of them, or makes up names, that is all."""
    if _LOOPS.search(expression) or _WHOLE.search(expression):
        return names
    return tuple(name for name in names if name.rpartition("/")[2] in expression)


class _Seen:
    """Carries a device past the cache's key: equal to every other, since the key says all that matters."""

    __slots__ = ("_capacities", "_device", "_names")

    def __init__(self, device: Device, names: tuple[str, ...], capacities: tuple[str, ...]) -> None:
        self._device, self._names, self._capacities = device, names, capacities

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Seen)

    def __hash__(self) -> int:
        return 0

    def device(self) -> Device:
        """As much of it as the expression may look at."""
        whole = self._device
        return Device(
            whole.name,
            {name: whole.attributes[name] for name in self._names},
            types=whole.types,
            capacity={name: whole.capacity[name] for name in self._capacities},
            shared=whole.shared,
        )


@lru_cache(maxsize=16_384)
def _kept(key: tuple[Any, ...], seen: _Seen) -> Answer:
    return _evaluate(key[0], seen.device(), key[1])


def _evaluate(expression: str, device: Device, driver: str) -> Answer:
    from bot.scheduling.dra.cel_device import UnsupportedError, as_value

    program = _compiled(expression)
    if isinstance(program, str):
        return Answer(None, program, evaluated=False)
    try:
        value = program({"device": as_value(device, driver)})
    except UnsupportedError as error:
        return Answer(None, str(error))
    except Exception as error:  # noqa: BLE001  # expressions are anybody's text, and the library raises as it likes
        return _broken(error)
    return _told(value)


def _told(value: Any) -> Answer:
    from celpy import celtypes

    if isinstance(value, celtypes.BoolType):
        return Answer(bool(value))
    return Answer(None, f"must evaluate to bool, not {type(value).__name__.removesuffix('Type').lower()}")


def _broken(error: Exception) -> Answer:
    """A key that is missing is an error in the scheduler too; for anything else it may well be us."""
    text = str(error.args[0] if error.args else error)
    if _MISSING.match(text):
        return Answer(None, f"no such key: {_key_of(error, text)}"[:_WORDS])
    return Answer(None, text.partition(" (in activation")[0][:_WORDS] or type(error).__name__, evaluated=False)


def _key_of(error: Exception, text: str) -> str:
    """`a.b` has the name in its words, `a['b']` among what it was raised with."""
    inner = error.args[2] if len(error.args) > 2 else None
    return str(inner[0]) if isinstance(inner, tuple) and inner else text.partition(": ")[2].strip("'")


@lru_cache(maxsize=1024)
def _compiled(expression: str) -> Program | str:
    """The program, or why there is none."""
    try:
        environment = _environment()
        from bot.scheduling.dra.cel_functions import FUNCTIONS

        program = environment.program(environment.compile(expression), functions=FUNCTIONS)
    except Exception as error:  # noqa: BLE001  # as above; a deep expression ends in RecursionError
        return f"not a CEL expression that can be read here: {type(error).__name__}"
    run: Program = program.evaluate
    return run


@lru_cache(maxsize=1)
def _environment() -> Any:
    import celpy

    return celpy.Environment()

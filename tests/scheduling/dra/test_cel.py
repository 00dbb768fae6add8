"""Selectors of devices: what they are true of, and what nobody can say."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain.dra import Capacity, Device
from bot.scheduling.dra import cel, semver

DRIVER = "gpu.example.com"
DEVICE = Device(
    "gpu-0",
    {
        "index": "3",
        "healthy": "true",
        "version": "1.10.0",
        "product": "H100 SXM",
        "gpu.example.com/named": "in full",
        "other.com/numa": "1",
    },
    types={
        "index": "int",
        "healthy": "bool",
        "version": "version",
        "product": "string",
        "gpu.example.com/named": "string",
        "other.com/numa": "int",
    },
    capacity={"memory": Capacity(Fraction(80 * 2**30)), "other.com/cores": Capacity(Fraction(7, 2))},
)


def own(text: str) -> str:
    """`@name` is an attribute of the driver's domain, `#name` a capacity of it."""
    return text.replace("@", "device.attributes['gpu.example.com'].").replace(
        "#", "device.capacity['gpu.example.com']."
    )


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("device.driver == 'gpu.example.com'", True),
        ("device.driver == 'nic.example.com'", False),
        ("device.driver in ['a', 'gpu.example.com']", True),
        ("@index == 3", True),
        ("@index < 4 && @index > 2", True),
        ("@index >= 4 || @index <= 2", False),
        ("@index == 3.0", True),
        ("@index > 2.5", True),
        ("@index == '3'", False),
        ("@index != '3'", True),
        ("@index in [1, 3]", True),
        ("@healthy", True),
        ("!@healthy", False),
        ("@healthy ? @index == 3 : false", True),
        ("@product == 'H100 SXM'", True),
        ("@product.startsWith('H100')", True),
        ("@product.endsWith('PCIe')", False),
        ("@product.contains('SXM')", True),
        ("@product.matches('^H[0-9]+')", True),
        ("@product.lowerAscii() == 'h100 sxm'", True),
        ("@product.size() == 8", True),
        ("@version.isGreaterThan(semver('1.9.9'))", True),
        ("@version.isLessThan(semver('1.10.0'))", False),
        ("@version.compareTo(semver('1.10.0')) == 0", True),
        ("@version == semver('1.10.0')", True),
        ("@version.major() == 1 && @version.minor() == 10 && @version.patch() == 0", True),
        ("semver('v1.2', true).isGreaterThan(semver('1.1.9'))", True),
        ("isSemver('1.2')", False),
        ("isSemver('1.2.3-rc.1+build')", True),
        ("#memory.compareTo(quantity('80Gi')) >= 0", True),
        ("#memory.compareTo(quantity('81Gi')) >= 0", False),
        ("#memory.isGreaterThan(quantity('79Gi'))", True),
        ("#memory.isLessThan(quantity('1T'))", True),
        ("#memory == quantity('81920Mi')", True),
        ("#memory.sub(quantity('40Gi')) == quantity('40Gi')", True),
        ("#memory.asInteger() == 85899345920", True),
        ("device.capacity['other.com'].cores.isInteger()", False),
        ("device.capacity['other.com'].cores.asApproximateFloat() == 3.5", True),
        ("quantity('-1').sign() == -1", True),
        ("isQuantity('ten')", False),
        ("device.attributes['other.com'].numa == 1", True),
        ("device.attributes['gpu.example.com'].named == 'in full'", True),
        ("'index' in device.attributes['gpu.example.com']", True),
        ("'nothing' in device.attributes['gpu.example.com']", False),
        ("'index' in device.attributes['nobody.com']", False),
        ("has(@index)", True),
        ("has(@nothing)", False),
        ("has(@nothing) && @nothing == 1", False),
        ("device.attributes['gpu.example.com'].exists(name, name == 'index')", True),
        ("device.attributes['gpu.example.com'].all(name, name != 'numa')", True),
        ("size(device.attributes['gpu.example.com']) == 5", True),
        ("@nothing || true", True),
        ("@nothing && false", False),
        ("device.allowMultipleAllocations", False),
        ("true", True),
    ],
)
def test_what_a_selector_is_true_of(expression: str, expected: bool) -> None:
    assert cel.matches(own(expression), DEVICE, DRIVER) == cel.Answer(expected)


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        pytest.param("@nothing", "no such key: nothing", id="an attribute that is missing"),
        pytest.param("device.attributes['gpu.example.com']['nothing'] == 1", "no such key: nothing", id="in brackets"),
        pytest.param("device.attributes['nobody.com'].index == 1", "no such key: index", id="a domain that is unknown"),
        pytest.param("@index", "must evaluate to bool, not int", id="a number for an answer"),
    ],
)
def test_what_breaks_the_scheduler_too(expression: str, why: str) -> None:
    assert cel.matches(own(expression), DEVICE, DRIVER) == cel.Answer(None, why)


@pytest.mark.parametrize(
    "expression",
    [
        pytest.param("", id="nothing"),
        pytest.param("true &&", id="half an expression"),
        pytest.param("@?index.orValue(1) == 1", id="optional values"),
        pytest.param("cel.bind(x, @index, x == 3)", id="bindings"),
        pytest.param("@product.unheard()", id="a function that nobody knows"),
        pytest.param("quantity('ten') == quantity('10')", id="a quantity that is none"),
        pytest.param("(" * 4000 + "true" + ")" * 4000, id="too deep"),
        pytest.param("true" + " " * 20_000, id="too long"),
        pytest.param("[1].all(a, [1].all(b, [1].all(c, [1].all(d, [1].all(e, true)))))", id="too many loops"),
    ],
)
def test_what_cannot_be_said_here_is_neither_true_nor_false(expression: str) -> None:
    answer = cel.matches(own(expression), DEVICE, DRIVER)
    assert (answer.matches, answer.evaluated) == (None, False)
    assert 0 < len(answer.why) <= 200


def test_an_attribute_of_an_unknown_type_breaks_its_device_only() -> None:
    odd = Device("d", {"models": '["a"]'}, types={"models": "strings"})
    assert cel.matches(own("@models == 'a'"), odd, DRIVER).why == "attribute models: unsupported attribute value"
    assert cel.matches("device.driver == 'gpu.example.com'", odd, DRIVER).matches is True


def test_answers_are_kept_apart_by_what_the_selector_names() -> None:
    four = Device("d", DEVICE.attributes | {"index": "4"}, types=DEVICE.types, capacity=DEVICE.capacity)
    text = Device("d", {"index": "3"}, types={"index": "string"})
    assert [cel.matches(own("@index == 3"), one, DRIVER).matches for one in (DEVICE, four, text)] == [
        True,
        False,
        False,
    ]
    assert cel.matches(own("@index == 3"), DEVICE, "nic.example.com").why == "no such key: index"


@pytest.mark.parametrize(
    ("smaller", "larger"),
    [
        ("1.0.0-alpha", "1.0.0"),
        ("1.0.0-2", "1.0.0-10"),
        ("1.0.0-9", "1.0.0-a"),
        ("1.0.0-a", "1.0.0-a.1"),
        ("1.9.0", "1.10.0"),
    ],
)
def test_versions_sort_as_versions(smaller: str, larger: str) -> None:
    one, other = semver.parse(smaller), semver.parse(larger)
    assert one is not None
    assert other is not None
    assert one < other


@pytest.mark.parametrize("text", ["1", "1.2", "01.2.3", "v1.2.3", "1.2.3-", "1.2.3-01", "1.2.3 ", "", "1.2.3+"])
def test_what_is_no_version(text: str) -> None:
    assert semver.parse(text) is None


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="device.atr[]'()!&|<=>01 \"\\?:,{}+-*/%xyz\n", max_size=60))
def test_no_expression_is_an_exception(expression: str) -> None:
    answer = cel.matches(expression, DEVICE, DRIVER)
    assert answer.matches is not None or answer.why

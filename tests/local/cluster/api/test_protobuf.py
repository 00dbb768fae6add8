"""The one message that is read from protobuf, and bytes that are not it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.local.cluster.api.protobuf import MAGIC, access_review
from bot.local.cluster.store import ApiError


def message(number: int, body: bytes) -> bytes:
    return bytes([number << 3 | 2, len(body)]) + body


def test_a_review_is_read() -> None:
    attributes = message(2, b"list") + message(5, b"pods") + message(1, b"default")
    body = MAGIC + message(1, b"kind") + message(2, message(2, message(1, attributes)))
    assert access_review(body)["spec"] == {
        "resourceAttributes": {"verb": "list", "resource": "pods", "namespace": "default"}
    }


@pytest.mark.parametrize("rest", [b"\x12\x7f", b"\x12", b"\xff" * 12, b"\x0d\x00"])
def test_torn_bytes_are_refused(rest: bytes) -> None:
    with pytest.raises(ApiError) as refused:
        access_review(MAGIC + rest)
    assert refused.value.code == 400


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(rest: bytes) -> None:
    try:
        assert access_review(MAGIC + rest)["kind"] == "SelfSubjectAccessReview"
    except ApiError as refused:
        assert refused.code == 400  # noqa: PT017 - either outcome is right, a crash is not

"""What an API server's no means, which kind it is and how it is told. Its words are those of a real one."""

import pytest

from bot.adapters.cluster.errors import Cause, RefusedError
from bot.adapters.cluster.refusal_words import refused
from bot.adapters.cluster.refusals import is_certain, kind_of
from bot.domain.person import Identity
from bot.domain.writing import FieldOwner, Refusal
from tests.adapters.cluster.writing import scale

OTHER = "00000000-0000-0000-0000-000000000001"
BUDGET = Cause("DisruptionBudget", "The disruption budget keep needs 1 healthy pods and has 1 currently", "")


def answer(status: int, message: str = "", reason: str = "", *causes: Cause, wait: float | None = None) -> RefusedError:
    return RefusedError(status, reason, message, wait, causes, "audit-1")


@pytest.mark.parametrize(
    ("error", "kind", "told"),
    [
        pytest.param(answer(401, "Unauthorized"), Refusal.CREDENTIALS, "ask whoever installed it", id="not let in"),
        pytest.param(
            answer(403, 'nodes "n" is forbidden: User "ana" cannot patch resource "nodes" in API group "" at the cluster scope'),
            Refusal.FORBIDDEN,
            "gpubot lacks the verb patch on nodes for the whole cluster; whoever grants roles there can give it.",
            id="no right in the whole cluster",
        ),
        pytest.param(
            answer(403, 'users "ana" is forbidden: User "bot" cannot impersonate resource "users" in API group "" at the '),
            Refusal.FORBIDDEN,
            "gpubot may not act in the name of",
            id="not allowed to act for somebody",
        ),
        pytest.param(
            answer(
                403,
                'deployments.apps "glm" is forbidden: User "bot" cannot impersonate-on:user-info:patch resource '
                '"deployments/scale" in API group "apps" in the namespace "llm"',
            ),
            Refusal.FORBIDDEN,
            "gpubot may not act in the name of",
            id="not allowed to, as servers say it since 1.36",
        ),
        pytest.param(
            answer(403, 'pods "p2" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'),
            Refusal.QUOTA,
            "whoever keeps that ResourceQuota can raise it",
            id="a quota used up",
        ),
        pytest.param(
            answer(403, 'pods "p" is forbidden: failed quota: q: must specify limits.cpu'), Refusal.QUOTA, "", id="a quota"
        ),
        pytest.param(
            answer(403, 'pods "p" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true'),
            Refusal.ADMISSION,
            "an admission rule of the cluster refuses it",
            id="pod security",
        ),
        pytest.param(
            answer(400, 'admission webhook "policy.example.com" denied the request: no label'),
            Refusal.ADMISSION,
            "no label",
            id="a webhook with a status of its own",
        ),
        pytest.param(
            answer(422, "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: too many"),
            Refusal.ADMISSION,
            "too many",
            id="a policy",
        ),
        pytest.param(
            answer(500, 'Internal error occurred: failed calling webhook "w": timeout'),
            Refusal.ADMISSION,
            "failed calling webhook",
            id="a webhook that is down",
        ),
        pytest.param(answer(404, 'deployments.apps "glm" not found', "NotFound"), Refusal.ABSENT, "", id="not there"),
        pytest.param(answer(409, "", "AlreadyExists"), Refusal.EXISTS, "one of that name is there already", id="taken"),
        pytest.param(
            answer(409, "Apply failed", "Conflict", Cause("FieldManagerConflict", 'conflict with "helm" using apps/v1', ".a")),
            Refusal.OWNED,
            ".a belongs to helm",
            id="another field manager",
        ),
        pytest.param(
            answer(409, f"Precondition failed: UID in precondition: {OTHER}, UID in object meta: x", "Conflict"),
            Refusal.REPLACED,
            "made anew",
            id="a scale of another object",
        ),
        pytest.param(
            answer(409, f"the UID in the precondition ({OTHER}) does not match the UID in record (x).", "Conflict"),
            Refusal.REPLACED,
            "made anew",
            id="a deletion of another object",
        ),
        pytest.param(
            answer(409, f"uid mismatch: the provided object specified uid {OTHER}, and no existing object was found"),
            Refusal.REPLACED,
            "made anew",
            id="an apply of what is gone",
        ),
        pytest.param(
            answer(422, "is invalid", "Invalid", Cause("FieldValueInvalid", "field is immutable", "metadata.uid")),
            Refusal.REPLACED,
            "made anew",
            id="a patch of another object",
        ),
        pytest.param(
            answer(409, "the object has been modified; please apply your changes to the latest version", "Conflict"),
            Refusal.CHANGED,
            "somebody changed it at the same time",
            id="changed in between",
        ),
        pytest.param(answer(422, "must be greater than 0", "Invalid"), Refusal.INVALID, "would not be valid", id="invalid"),
        pytest.param(
            answer(422, '"" is invalid: patch: Invalid value: "{...}": strict decoding error: unknown field "spec.x"'),
            Refusal.INVALID,
            '(strict decoding error: unknown field "spec.x")',
            id="an unknown field, without the whole object that is quoted before it",
        ),
        pytest.param(answer(429, "", "TooManyRequests", BUDGET), Refusal.DISRUPTION, "budget keep needs 1", id="a budget"),
        pytest.param(
            answer(500, "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."),
            Refusal.DISRUPTION,
            "more than one",
            id="two budgets",
        ),
        pytest.param(answer(429, "", wait=7), Refusal.BUSY, "it asks to wait 7 s", id="busy"),
        pytest.param(answer(302), Refusal.OTHER, "answered 302", id="a redirect"),
    ],
)  # fmt: skip
def test_a_no_is_of_one_kind_and_one_sentence(error: RefusedError, kind: Refusal, told: str) -> None:
    found = refused(error, scale(4), None)
    assert (found.refusal, found.status, found.audit_id, is_certain(error)) == (kind, error.status, "audit-1", True)
    assert told in str(found)
    assert str(found).startswith("Cannot change deployment/glm (scale) in llm")
    assert str(found).endswith(".")


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_an_error_of_the_server_leaves_it_open(status: int) -> None:
    error = answer(status, "etcdserver: request timed out")
    assert (kind_of(error), is_certain(error)) == (Refusal.OTHER, False)


def test_every_owner_is_named() -> None:
    causes = [Cause("FieldManagerConflict", f'conflict with "{who}" using apps/v1', ".spec.replicas") for who in "ab"]
    causes.append(Cause("FieldManagerConflict", 'conflict with "c \\"d\\"" with subresource "scale" using v1', ".x"))
    assert refused(answer(409, "", "Conflict", *causes), scale(4), None).owners == (
        FieldOwner("a", ".spec.replicas"),
        FieldOwner("b", ".spec.replicas"),
        FieldOwner('c "d"', ".x"),
    )


def test_what_a_webhook_writes_is_only_shown() -> None:
    nasty = 'admission webhook "w" denied the request: <!channel>\x1b[31m\n' + "x" * 5000
    found = refused(answer(403, nasty), scale(4), Identity("ana"))
    assert "<!channel>" not in str(found)
    assert "\x1b" not in str(found)
    assert (len(str(found)) < 500, len(found.message) <= 1000) == (True, True)


def test_only_what_may_go_later_is_worth_trying_again() -> None:
    assert refused(answer(429, "", "", BUDGET), scale(4), None).retryable
    assert not refused(answer(403, 'User "a" cannot patch resource "x" in API group ""'), scale(4), None).retryable

"""Who a person of Slack is to us, and to Kubernetes."""

from typing import Any

import pytest

from bot.access.decision import who
from bot.access.roles import asker_of, identity_of
from bot.access.rules import Grant, Identities, Rules
from bot.domain.person import Access, Identity
from tests.access.building import ANA, BEN, CHEN, DORA, HOME, OTHER

OPS, LLM, OPS_CHANNEL, RANDOM = "S0OPS", "S0LLM", "C0OPS", "C0RANDOM"


def grant(users: str = "", groups: str = "", channels: str = "") -> Grant:
    return Grant(frozenset(users.split()), frozenset(groups.split()), frozenset(channels.split()))


RULES = Rules(
    workspaces=frozenset({HOME}),
    operators=(grant(users=ANA), grant(groups=OPS, channels=OPS_CHANNEL), grant(channels="C0DUTY")),
    admins=(grant(users=DORA),),
)


@pytest.mark.parametrize(
    ("asked", "access"),
    [
        pytest.param({"person": BEN}, Access.READ, id="whoever is not named reads"),
        pytest.param({"person": ANA}, Access.OPERATE, id="who is named operates, everywhere"),
        pytest.param({"person": ANA, "channel": ""}, Access.OPERATE, id="also where no channel is known"),
        pytest.param({"person": DORA}, Access.ADMIN, id="an admin is more than an operator"),
        pytest.param({"person": BEN, "groups": (OPS,), "channel": OPS_CHANNEL}, Access.OPERATE, id="a group, there"),
        pytest.param({"person": BEN, "groups": (OPS,)}, Access.READ, id="a group whose channel it is not"),
        pytest.param({"person": BEN, "channel": OPS_CHANNEL}, Access.READ, id="the channel alone is not enough there"),
        pytest.param({"person": BEN, "channel": "C0DUTY"}, Access.OPERATE, id="a channel given to all in it"),
        pytest.param({"person": ANA, "workspace": OTHER}, Access.NOBODY, id="the same id in another workspace"),
        pytest.param({"person": ANA, "workspace": ""}, Access.NOBODY, id="no workspace"),
        pytest.param({"person": "", "channel": "C0DUTY"}, Access.NOBODY, id="nobody, in a channel given to all"),
        pytest.param({"person": ANA, "bot": True}, Access.NOBODY, id="a webhook that says it is ana"),
        pytest.param({"person": "u0ana"}, Access.READ, id="nearly ana"),
        pytest.param({"person": BEN, "name": ANA, "email": ANA}, Access.READ, id="called like ana"),
    ],
)
def test_a_role_comes_from_ids_alone(asked: dict[str, Any], access: Access) -> None:
    asker = asker_of(RULES, **({"workspace": HOME, "channel": RANDOM} | asked))
    assert asker.access is access
    assert (asker.id, asker.channel) == (asked["person"], asked.get("channel", RANDOM))


@pytest.mark.parametrize(
    ("rules", "access"),
    [
        pytest.param(Rules(), Access.READ, id="the defaults let everybody read"),
        pytest.param(Rules(operators=(), admins=()), Access.READ, id="empty lists let nobody into changes"),
        pytest.param(Rules(operators=(Grant(),), admins=(Grant(),)), Access.READ, id="so do grants that name nothing"),
        pytest.param(Rules(readers=()), Access.NOBODY, id="an empty list of readers lets nobody read"),
        pytest.param(Rules(readers=(grant(users=BEN),)), Access.NOBODY, id="readers are those who are named"),
        pytest.param(Rules(readers=(grant(users=ANA),)), Access.READ, id="who is named reads"),
        pytest.param(Rules(readers=(), operators=(grant(users=ANA),)), Access.OPERATE, id="who operates reads, too"),
    ],
)
def test_an_empty_list_lets_nobody_in(rules: Rules, access: Access) -> None:
    assert asker_of(rules.at_home(HOME), person=ANA, workspace=HOME, channel="").access is access


def test_before_slack_has_told_its_own_workspace_nobody_is_let_in() -> None:
    assert asker_of(Rules(), person=ANA, workspace=HOME, channel="").access is Access.NOBODY
    assert Rules().at_home("") == Rules()
    assert Rules(workspaces=frozenset({OTHER})).at_home(HOME).workspaces == {HOME, OTHER}


TABLE = Identities(
    by_email=True,
    prefix="oidc:",
    users={CHEN: "chen"},
    groups={LLM: ("team-llm", "gpu-users"), OPS: ("gpu-users", "ops")},
    everybody=("people",),
)


@pytest.mark.parametrize(
    ("person", "groups", "email", "identity"),
    [
        pytest.param(ANA, (), "ana@example.org", Identity("oidc:ana@example.org", ("people",)), id="by e-mail"),
        pytest.param(CHEN, (), "ana@example.org", Identity("chen", ("people",)), id="the table before the e-mail"),
        pytest.param(
            ANA,
            (OPS, LLM, "S0ELSE"),
            "ana@example.org",
            Identity("oidc:ana@example.org", ("people", "team-llm", "gpu-users", "ops")),
            id="groups from user groups, each once",
        ),
        pytest.param(ANA, (OPS,), "", None, id="no e-mail: nobody"),
        pytest.param(ANA, (), "ana", None, id="what is no e-mail"),
        pytest.param(ANA, (), "@example.org", None, id="an e-mail of nobody"),
        pytest.param(ANA, (), "ana@", None, id="an e-mail of nowhere"),
        pytest.param(ANA, (), "system:admin@x", None, id="a user of the system"),
        pytest.param(ANA, (), "ana@example.org\nImpersonate-Group: x", None, id="a second header in an e-mail"),
        pytest.param(ANA, (), "аna@example.org", None, id="a letter that only looks like an a"),
    ],
)
def test_who_a_person_is_in_kubernetes(
    person: str, groups: tuple[str, ...], email: str, identity: Identity | None
) -> None:
    assert identity_of(TABLE, person, groups, email) == identity
    assert asker_of(
        Rules(workspaces=frozenset({HOME}), identities=TABLE),
        person=person, workspace=HOME, channel="", groups=groups, email=email,
    ).identity == identity  # fmt: skip


def test_without_a_map_nobody_is_anybody_there() -> None:
    assert identity_of(Identities(), ANA, (OPS,), "ana@example.org") is None
    assert identity_of(Identities(groups={OPS: ("ops",)}), ANA, (OPS,), "ana@example.org") is None


@pytest.mark.parametrize(
    ("rules", "access", "said"),
    [
        pytest.param(RULES, Access.ADMIN, f"an admin: {DORA}", id="one admin"),
        pytest.param(
            RULES,
            Access.OPERATE,
            f"an operator: {DORA}, {ANA}, the user group {OPS} in {OPS_CHANNEL} and anybody in C0DUTY",
            id="admins are operators, too",
        ),
        pytest.param(
            Rules(), Access.OPERATE, "nobody yet: name somebody in the settings, access.operators", id="nobody at all"
        ),
        pytest.param(
            Rules(readers=()), Access.READ, "nobody yet: name somebody in the settings, access.readers", id="no reader"
        ),
        pytest.param(
            Rules(readers=(grant(users=ANA),), admins=(grant(users=DORA),)),
            Access.READ,
            f"a reader: {DORA} and {ANA}",
            id="readers, and whoever is more",
        ),
    ],
)
def test_who_could_do_it_is_named(rules: Rules, access: Access, said: str) -> None:
    assert who(rules, access) == said

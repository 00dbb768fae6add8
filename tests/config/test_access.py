"""The settings of access: their defaults let nobody into changes, and what is wrong is named."""

from datetime import time, timedelta
from pathlib import Path

import pytest

from bot.access.rules import Approvals, Grant, Identities, Limits, Protected, Rules
from bot.access.windows import Window
from bot.domain.errors import ConfigError
from config.access import AccessSettings
from config.settings import Settings, load

SHIPPED = (Path(__file__).parent.parent.parent / "config" / "gpubot.yaml").read_text()


def rules_of(tmp_path: Path, text: str) -> Rules:
    file = tmp_path / "gpubot.yaml"
    file.write_text(text)
    return load(str(file)).access.rules()


def test_the_defaults_are_those_of_the_core() -> None:
    assert Settings().access.rules() == Rules()


def test_the_shipped_file_has_every_key() -> None:
    text = SHIPPED.partition("\naccess:")[2].partition("\nlog:")[0]
    access = AccessSettings()
    for part in (access, access.identities, access.approvals, access.limits, access.protected):
        for key in type(part).model_fields:
            assert f"{key}:" in text, key


def test_everything_can_be_set(tmp_path: Path) -> None:
    assert rules_of(
        tmp_path,
        """
access:
  workspaces: [T0OTHER]
  readers: []
  operators: [{users: [U0ANA], groups: [S0OPS], channels: [C0OPS]}, {channels: [C0DUTY]}]
  admins: [{users: [W0DORA]}]
  identities:
    {by_email: true, prefix: "oidc:", users: {U0ANA: ana}, groups: {S0OPS: [ops]}, everybody: [people], impersonate: true}
  approvals: {small: 1, usual: 2, big: 3, small_nodes: 4, small_replicas: 5, small_gpus: 6, big_gpus: 7, expire_after_minutes: 8}
  limits: {nodes: 1, replicas: 2, gpus: 3}
  protected: {namespaces: [prod], labels: [pet]}
  windows: [Sat 22:00-04:00 UTC]
  dry_run: true
""",
    ) == Rules(
        workspaces=frozenset({"T0OTHER"}),
        readers=(),
        operators=(
            Grant(frozenset({"U0ANA"}), frozenset({"S0OPS"}), frozenset({"C0OPS"})),
            Grant(channels=frozenset({"C0DUTY"})),
        ),
        admins=(Grant(users=frozenset({"W0DORA"})),),
        identities=Identities(True, "oidc:", {"U0ANA": "ana"}, {"S0OPS": ("ops",)}, ("people",), True),
        approvals=Approvals(1, 2, 3, 4, 5, 6, 7, timedelta(minutes=8)),
        limits=Limits(1, 2, 3),
        protected=Protected(frozenset({"prod"}), ("pet",)),
        windows=(Window(frozenset({5}), time(22), time(4), "UTC", "Sat 22:00-04:00 UTC"),),
        dry_run=True,
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("operators: [{users: ['*']}]", "operators.0.users.0: String should match", id="everybody by a star"),
        pytest.param("operators: [{users: [ana]}]", "operators.0.users.0: String should match", id="a name, no id"),
        pytest.param("operators: [{groups: [U0ANA]}]", "operators.0.groups.0: ", id="a user as a group"),
        pytest.param("operators: [{}]", "operators.0: Value error, it names nobody", id="a grant for nobody"),
        pytest.param("operators: U0ANA", "operators: Input should be", id="no list"),
        pytest.param("identities: {groups: {S0OPS: ['system:masters']}}", "system:masters belongs to", id="the masters"),
        pytest.param("identities: {everybody: ['system:masters']}", "system:masters belongs to", id="all of them"),
        pytest.param("identities: {users: {U0ANA: 'system:admin'}}", "system:admin belongs to", id="a user of the system"),
        pytest.param("identities: {by_email: true, prefix: 'system:'}", "system: belongs to", id="by its prefix"),
        pytest.param("identities: {impersonate: true}", "impersonate needs by_email or users", id="in nobody's name"),
        pytest.param("windows: [always]", "'always' is no window", id="no window"),
        pytest.param("limits: {nodes: -1}", "limits.nodes: ", id="a negative limit"),
        pytest.param("approvals: {expire_after_minutes: 0}", "approvals.expire_after_minutes: ", id="expired at once"),
        pytest.param("operator: []", "operator: is no setting", id="a key that is none"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ConfigError) as raised:
        rules_of(tmp_path, f"access:\n  {text}\n")
    assert f"access.{says.partition(':')[0]}" in str(raised.value) or says in str(raised.value)
    assert says.rpartition(": ")[2] in str(raised.value)
    assert ", line " in str(raised.value)

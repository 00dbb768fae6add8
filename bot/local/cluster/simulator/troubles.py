"""Which pods are in trouble: rules that also catch the pods that come after, as a bad image catches every replica."""

from dataclasses import dataclass

from bot.local.cluster.simulator.pod_run import Trouble


@dataclass(frozen=True, slots=True)
class Rule:
    """Pods of `namespace` whose name is `name` or starts with `name-`; only on `node`, if it is given."""

    namespace: str
    name: str
    trouble: Trouble
    node: str = ""

    def catches(self, namespace: str, name: str, node: str) -> bool:
        same = name == self.name or name.startswith(f"{self.name}-")
        return namespace == self.namespace and same and self.node in ("", node)


class Troubles:
    def __init__(self) -> None:
        self._rules: list[Rule] = []

    def add(self, rule: Rule) -> None:
        self._rules.append(rule)

    def remove(self, namespace: str, name: str) -> None:
        self._rules = [r for r in self._rules if (r.namespace, r.name) != (namespace, name)]

    def of(self, namespace: str, name: str, node: str) -> Trouble | None:
        """The newest rule that catches the pod."""
        found = (r.trouble for r in reversed(self._rules) if r.catches(namespace, name, node))
        return next(found, None)

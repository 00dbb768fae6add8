"""Kueue's topology: quota is free, and no rack or node has place for all pods together.

kubernetes-sigs/kueue:pkg/cache/scheduler/tas_flavor_snapshot.go (notFitMessage and its list of excluded nodes).
"""

import re
from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pattern import Pattern
from bot.domain.text import inert
from bot.domain.words import count, names
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.kueue_messages import Reason, Refusal
from bot.why.shell import kubectl, quoted

_PARTLY = Pattern(r"allows to fit only (?P<fit>\d{1,6}) out of (?P<all>\d{1,6}) (?P<what>pod|slice)")
_NONE = Pattern(r"doesn't allow to fit any of (?P<all>\d{1,6}) (?P<what>pod|slice)")
_NODES = Pattern(r"Total nodes: (?P<nodes>\d{1,6})")
_EXCLUDED = Pattern(r'(?P<what>nodeSelector|affinity|taint|resource)(?: "(?P<name>[^"]{1,300})")?: (?P<count>\d{1,6})')
_EXCLUDED_WORDS = {
    "nodeSelector": "have other labels than the pods select",
    "affinity": "do not match the pods' affinity",
    "taint": "have the taint `{}`",
    "resource": "have too little `{}` free",
}


def topology(case: Case, refusal: Refusal, reason: Reason) -> Finding:
    text = reason.detail
    nodes = _NODES.search(text)
    excluded = list(_EXCLUDED.finditer(text))
    of = f" (of {count(int(nodes['nodes']), 'node')}: {_listed(excluded)})" if nodes and excluded else ""
    return Finding(
        "kueue.topology",
        f"Kueue finds no place for all its pods close together in topology `{reason.flavor}`: {_fit(text)}{of}",
        evidence=(f"Kueue says {quoted(refusal.text, 400)}",),
        remedies=tuple(_help(case, excluded)),
        useless=("More quota does not help: the queue has it.",),
        weight=1,
    )


def _fit(text: str) -> str:
    if found := _PARTLY.search(text):
        return f"{found['fit']} of {found['all']} {found['what']}s fit"
    if found := _NONE.search(text):
        return f"none of {found['all']} {found['what']}s fits"
    return inert(text, 200)


def _listed(excluded: list[re.Match[str]]) -> str:
    return names(
        [f"{one['count']} {_EXCLUDED_WORDS[one['what']].format(inert(one['name'] or '', 100))}" for one in excluded], 4
    )


def _help(case: Case, excluded: list[re.Match[str]]) -> Iterator[Remedy]:
    for one in excluded:
        if one["what"] != "taint" or not one["name"]:
            continue
        key = one["name"].partition("=")[0].partition(":")[0]
        nodes = [node.name for node in case.view.nodes.values() if any(taint.key == key for taint in node.taints)]
        which = f" ({names(sorted(nodes), 3)})" if nodes else ""
        yield Remedy(
            f"See whether the nodes with the taint `{inert(one['name'], 100)}`{which} can take work again",
            kubectl("describe", "node", *sorted(nodes)[:3]) if nodes else "",
            verified=False,
        )
    yield Remedy(
        "Wait for a rack or node to empty, or ask for a wider topology level (or `preferred` in place of `required`)",
        verified=False,
    )

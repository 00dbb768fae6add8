"""The form of `/deploy`: what to serve and how often; each change shows what would come of it, and sending it asks.

As with reasons, the form carries nothing but a name that cannot be guessed. What is chosen is read as if it were typed,
so it goes through the same checks as a line.
"""

import secrets
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

from bot.domain.document import Document
from bot.domain.text import inert
from bot.serving.catalogue import catalogue
from bot.slack.people import Caller
from bot.views import text
from bot.views.blocks import plain_text

FORM, CHANGED = "deploy", "deploy-live"
KEPT_AT_MOST = 500
PREVIEW_MAX = 2_800
_VALUE_MAX = 60
_LINES = (["deploy"], ["gpu", "deploy"])
_FIELDS = {  # option → label, what is shown before anything is typed
    "namespace": ("Namespace", "llm"),
    "replicas": ("Replicas", "1"),
    "context": ("Longest request, in tokens", "128k"),
    "source": ("Weights", "hf, modelscope or pvc:CLAIM/PATH"),
    "name": ("Name", "as the model"),
}
_REASON = "because"


class DeployForms:
    """Forms that are open, by a name."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, Caller] = OrderedDict()

    def wanted(self, line: str) -> bool:
        """Whether a line says nothing but that something is to be deployed."""
        return line.casefold().split() in _LINES

    def form(self, caller: Caller) -> dict[str, Any]:
        name = secrets.token_urlsafe(12)
        self._open[name] = caller
        if len(self._open) > KEPT_AT_MOST:
            self._open.popitem(last=False)
        return _view(name, "Choose a model, and this says where it would fit.")

    def caller(self, view: Mapping[str, Any], person: str) -> Caller | None:
        """Who opened it; None for a form that is none of ours, or somebody else's."""
        found = self._open.get(str(view.get("private_metadata")))
        return found if found is not None and found.person == person else None

    def close(self, view: Mapping[str, Any]) -> None:
        self._open.pop(str(view.get("private_metadata")), None)

    def shown(self, view: Mapping[str, Any], document: Document) -> dict[str, Any]:
        """The same form with what would come of it."""
        told = text.render(document)
        whole = told if len(told) <= PREVIEW_MAX else told[:PREVIEW_MAX].rsplit("\n", 1)[0] + "\n…"
        return _view(str(view.get("private_metadata")), whole)


def line(view: Mapping[str, Any], *, dry: bool) -> str:
    """What was chosen, as people type it; empty where no model was."""
    values = dict(_values(view))
    model = values.pop("model", "")
    if not model:
        return ""
    because = values.pop(_REASON, "")
    options = " ".join(f"{key}={value}" for key, value in values.items())
    rest = " dry" if dry else f" because {because}" if because else ""
    return f"deploy {model} {options}".strip() + rest


def _values(view: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    state = (view.get("state") or {}).get("values") or {}
    for key in ("model", *_FIELDS, _REASON):
        told = next(iter((state.get(key) or {}).values()), None) or {}
        chosen = (told.get("selected_option") or {}).get("value") or told.get("value") or ""
        value = inert(str(chosen), 200 if key == _REASON else _VALUE_MAX)
        if value:
            yield key, value if key == _REASON else "".join(value.split())  # a blank would begin another word


def _view(name: str, preview: str) -> dict[str, Any]:
    return {
        "type": "modal",
        "callback_id": FORM,
        "private_metadata": name,
        "title": plain_text("Deploy a model"),
        "submit": plain_text("Ask for it"),
        "close": plain_text("Leave it"),
        "blocks": [
            _model(),
            *(_field(key, label, hint) for key, (label, hint) in _FIELDS.items()),
            _field(_REASON, "Because", "for whoever approves it", live=False),
            {"type": "section", "block_id": "preview", "text": plain_text(preview)},
        ],
    }


def _model() -> dict[str, Any]:
    options = [
        {"text": plain_text(title), "value": value}
        for model in catalogue().models
        for title, value in (
            (model.title, model.names[0]),
            *((f"{model.title} {one.id}", f"{model.id}-{one.id}") for one in model.variants[1:]),
        )
    ]
    element = {
        "type": "static_select",
        "action_id": f"{CHANGED}-model",
        "placeholder": plain_text("A model"),
        "options": options[:100],
    }
    return {
        "type": "input",
        "block_id": "model",
        "label": plain_text("Model"),
        "element": element,
        "dispatch_action": True,
    }


def _field(key: str, label: str, hint: str, *, live: bool = True) -> dict[str, Any]:
    element: dict[str, Any] = {
        "type": "plain_text_input",
        "action_id": f"{CHANGED}-{key}",
        "placeholder": plain_text(hint),
        "max_length": 200 if key == _REASON else _VALUE_MAX,
    }
    if live:
        element["dispatch_action_config"] = {"trigger_actions_on": ["on_enter_pressed"]}
    return {
        "type": "input",
        "block_id": key,
        "optional": True,
        "label": plain_text(label),
        "element": element,
        "dispatch_action": live,
    }

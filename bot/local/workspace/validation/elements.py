"""Shapes of interactive elements and of the objects they are composed of."""

from __future__ import annotations

from bot.local.workspace.validation import limits as at_most
from bot.local.workspace.validation.shape import (
    Field,
    Shape,
    flag,
    integer,
    many,
    one,
    plain,
    several,
    string,
    text,
    word,
)

ACTION: Shape = {"action_id": string(at_most.IDENTIFIER)}
CONFIRM: Shape = {"confirm": one("confirm")}
FOCUS: Shape = {"focus_on_load": flag()}
HINTED: Shape = {"placeholder": plain(at_most.PLACEHOLDER)}
LABELLED: Shape = {"accessibility_label": string(at_most.ACCESSIBILITY_LABEL)}
DISPATCH: Shape = {"dispatch_action_config": Field("anything")}
MENU: Shape = {**ACTION, **CONFIRM, **FOCUS, **HINTED}
TYPED: Shape = {**ACTION, **FOCUS, **HINTED, **DISPATCH, "initial_value": string()}

CHOICES: Shape = {
    "options": many("option", most=at_most.SELECT_OPTIONS, required=False),
    "option_groups": many("option_group", most=at_most.OPTION_GROUPS, required=False),
}

OBJECTS: dict[str, Shape] = {
    "option": {
        "text": text(at_most.OPTION_TEXT, required=True),
        "value": string(at_most.OPTION_VALUE, required=True),
        "description": text(at_most.OPTION_DESCRIPTION),
        "url": string(at_most.BUTTON_URL),
    },
    "option_group": {
        "label": plain(at_most.OPTION_TEXT, required=True),
        "options": many("option", most=at_most.SELECT_OPTIONS),
    },
    "confirm": {
        "title": plain(at_most.CONFIRM_TITLE, required=True),
        "text": text(at_most.CONFIRM_TEXT, required=True),
        "confirm": plain(at_most.CONFIRM_BUTTON, required=True),
        "deny": plain(at_most.CONFIRM_BUTTON, required=True),
        "style": word("primary", "danger"),
    },
}

ELEMENTS: dict[str, Shape] = {
    "button": {
        **ACTION, **CONFIRM, **LABELLED,
        "text": plain(at_most.BUTTON_TEXT, required=True),
        "value": string(at_most.BUTTON_VALUE),
        "url": string(at_most.BUTTON_URL),
        "style": word("primary", "danger"),
    },
    "static_select": {**MENU, **CHOICES, "initial_option": one("option")},
    "multi_static_select": {
        **MENU, **CHOICES,
        "initial_options": many("option", least=0, required=False),
        "max_selected_items": integer(1),
    },
    "external_select": {**MENU, "initial_option": one("option"), "min_query_length": integer()},
    "users_select": {**MENU, "initial_user": string()},
    "multi_users_select": {**MENU, "initial_users": several(string()), "max_selected_items": integer(1)},
    "channels_select": {**MENU, "initial_channel": string(), "response_url_enabled": flag()},
    "conversations_select": {
        **MENU,
        "initial_conversation": string(),
        "default_to_current_conversation": flag(),
        "response_url_enabled": flag(),
        "filter": Field("anything"),
    },
    "overflow": {**ACTION, **CONFIRM, "options": many("option", most=at_most.OVERFLOW_OPTIONS)},
    "checkboxes": {
        **ACTION, **CONFIRM, **FOCUS,
        "options": many("option", most=at_most.CHECKBOXES_OPTIONS),
        "initial_options": many("option", least=0, required=False),
    },
    "radio_buttons": {
        **ACTION, **CONFIRM, **FOCUS,
        "options": many("option", most=at_most.RADIO_OPTIONS),
        "initial_option": one("option"),
    },
    "datepicker": {**MENU, "initial_date": string(10)},
    "timepicker": {**MENU, "initial_time": string(5), "timezone": string()},
    "datetimepicker": {**ACTION, **CONFIRM, **FOCUS, "initial_date_time": integer()},
    "plain_text_input": {
        **TYPED,
        "multiline": flag(),
        "min_length": integer(0, at_most.INPUT_LENGTH),
        "max_length": integer(1, at_most.INPUT_LENGTH),
    },
    "email_text_input": TYPED,
    "url_text_input": TYPED,
    "number_input": {
        **TYPED,
        "is_decimal_allowed": Field("boolean", required=True),
        "min_value": string(),
        "max_value": string(),
    },
    "image": {
        "alt_text": string(at_most.IMAGE_ALT_TEXT, required=True),
        "image_url": string(at_most.IMAGE_URL),
        "slack_file": Field("anything"),
    },
    "feedback_buttons": {
        **ACTION,
        "positive_button": one("feedback_button", required=True),
        "negative_button": one("feedback_button", required=True),
    },
    "icon_button": {
        **ACTION, **CONFIRM, **LABELLED,
        "icon": string(required=True),
        "text": plain(at_most.BUTTON_TEXT, required=True),
        "value": string(at_most.BUTTON_VALUE),
        "visible_to_user_ids": several(string(), most=10),
    },
}  # fmt: skip

OBJECTS["feedback_button"] = {
    **LABELLED,
    "text": plain(at_most.BUTTON_TEXT, required=True),
    "value": string(at_most.BUTTON_VALUE, required=True),
}

SELECTS = ("static_select", "external_select", "users_select", "channels_select", "conversations_select")
MULTI_SELECTS = ("multi_static_select", "multi_users_select")
PICKERS = ("datepicker", "timepicker", "datetimepicker", "checkboxes", "radio_buttons")
TYPED_INPUTS = ("plain_text_input", "email_text_input", "url_text_input", "number_input")

"""Shortcodes to Unicode: those that an operations bot and its users reach for. Others stay as typed."""

from __future__ import annotations

EMOJI = {
    "+1": "👍", "-1": "👎", "thumbsup": "👍", "thumbsdown": "👎", "ok_hand": "👌", "wave": "👋", "pray": "🙏",
    "eyes": "👀", "raised_hands": "🙌", "clap": "👏", "muscle": "💪", "point_right": "👉", "smile": "😄",
    "slightly_smiling_face": "🙂", "thinking_face": "🤔", "tada": "🎉", "rocket": "🚀", "fire": "🔥", "heart": "❤️",
    "white_check_mark": "✅", "heavy_check_mark": "✔️", "ballot_box_with_check": "☑️", "x": "❌", "warning": "⚠️",
    "no_entry": "⛔", "no_entry_sign": "🚫", "octagonal_sign": "🛑", "rotating_light": "🚨", "bell": "🔔",
    "no_bell": "🔕", "mega": "📣", "loudspeaker": "📢", "red_circle": "🔴", "large_orange_circle": "🟠",
    "large_yellow_circle": "🟡", "large_green_circle": "🟢", "large_blue_circle": "🔵", "white_circle": "⚪",
    "black_circle": "⚫", "large_red_square": "🟥", "large_green_square": "🟩", "large_yellow_square": "🟨",
    "hourglass": "⌛", "hourglass_flowing_sand": "⏳", "stopwatch": "⏱️", "alarm_clock": "⏰", "clock3": "🕒",
    "calendar": "📅", "arrow_up": "⬆️", "arrow_down": "⬇️", "arrow_right": "➡️", "arrow_left": "⬅️",
    "arrows_counterclockwise": "🔄", "repeat": "🔁", "arrow_forward": "▶️", "double_vertical_bar": "⏸️",
    "black_square_for_stop": "⏹️", "fast_forward": "⏩", "lock": "🔒", "unlock": "🔓", "key": "🔑", "link": "🔗",
    "pushpin": "📌", "bookmark": "🔖", "memo": "📝", "clipboard": "📋", "page_facing_up": "📄", "books": "📚",
    "bulb": "💡", "mag": "🔍", "gear": "⚙️", "wrench": "🔧", "hammer_and_wrench": "🛠️", "toolbox": "🧰",
    "construction": "🚧", "package": "📦", "bar_chart": "📊", "chart_with_upwards_trend": "📈",
    "chart_with_downwards_trend": "📉", "computer": "💻", "desktop_computer": "🖥️", "floppy_disk": "💾",
    "electric_plug": "🔌", "battery": "🔋", "zap": "⚡", "thermometer": "🌡️", "snowflake": "❄️", "ghost": "👻",
    "robot_face": "🤖", "bug": "🐛", "whale": "🐳", "zzz": "💤", "sleeping": "😴", "question": "❓",
    "exclamation": "❗", "information_source": "ℹ️", "heavy_plus_sign": "➕", "heavy_minus_sign": "➖",
    "new": "🆕", "sos": "🆘", "100": "💯", "hundred": "💯", "checkered_flag": "🏁", "triangular_flag_on_post": "🚩",
    "speech_balloon": "💬", "busts_in_silhouette": "👥", "bust_in_silhouette": "👤", "fire_engine": "🚒",
}  # fmt: skip


def emoji(name: str) -> str | None:
    """The character, or None when the shortcode is not known here."""
    return EMOJI.get(name.partition("::")[0])

"""data_visualization: line, area, bar and pie as SVG, always with the numbers in a table below."""

from __future__ import annotations

import math
from typing import Any

from bot.local.workspace.render.html import escape, tag
from bot.local.workspace.render.scope import Scope

Json = dict[str, Any]
WIDTH, HEIGHT, MARGIN = 480, 160, 8


def chart(block: Json, scope: Scope) -> str:
    drawing, title = block["chart"], escape(block["title"])
    series = series_of(drawing)
    picture = pie(series) if drawing["type"] == "pie" else plot(series, drawing["type"])
    svg = tag("svg", picture, viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=block["title"], class_="chart")
    legend = "".join(
        tag("span", tag("i", "", class_=f"key series-{index % 6}") + escape(name))
        for index, (name, _) in enumerate(series)
    )
    return tag("h4", title) + svg + tag("div", legend, class_="legend") + numbers(series)


def series_of(drawing: Json) -> list[tuple[str, list[tuple[str, float]]]]:
    """Name and points of each series; a pie is a series for each segment."""
    if drawing["type"] == "pie":
        return [(str(each["label"]), [("", float(each["value"]))]) for each in drawing["segments"]]
    return [
        (str(each["name"]), [(str(point["label"]), float(point["value"])) for point in each["data"]])
        for each in drawing["series"]
    ]


def plot(series: list[tuple[str, list[tuple[str, float]]]], kind: str) -> str:
    top = max((value for _, points in series for _, value in points), default=0) or 1
    base = tag("line", x1=MARGIN, x2=WIDTH - MARGIN, y1=HEIGHT - MARGIN, y2=HEIGHT - MARGIN, class_="axis")
    shapes = [
        bars(index, len(series), points, top) if kind == "bar" else curve(index, points, top, filled=kind == "area")
        for index, (_, points) in enumerate(series)
    ]
    return base + "".join(shapes)


def height(value: float, top: float) -> float:
    return HEIGHT - MARGIN - max(value, 0) / top * (HEIGHT - 2 * MARGIN)


def curve(index: int, points: list[tuple[str, float]], top: float, *, filled: bool) -> str:
    step = (WIDTH - 2 * MARGIN) / max(len(points) - 1, 1)
    at = [f"{MARGIN + place * step:.1f},{height(value, top):.1f}" for place, (_, value) in enumerate(points)]
    line = tag("polyline", points=" ".join(at), class_=f"line series-{index % 6}")
    if not filled:
        return line
    corners = [f"{MARGIN},{HEIGHT - MARGIN}", *at, f"{MARGIN + (len(points) - 1) * step:.1f},{HEIGHT - MARGIN}"]
    return tag("polygon", points=" ".join(corners), class_=f"area series-{index % 6}") + line


def bars(index: int, count: int, points: list[tuple[str, float]], top: float) -> str:
    slot = (WIDTH - 2 * MARGIN) / max(len(points), 1)
    width = slot * 0.8 / count
    return "".join(
        tag(
            "rect",
            x=f"{MARGIN + place * slot + slot * 0.1 + index * width:.1f}",
            y=f"{height(value, top):.1f}",
            width=f"{width:.1f}",
            height=f"{HEIGHT - MARGIN - height(value, top):.1f}",
            class_=f"bar series-{index % 6}",
        )
        for place, (_, value) in enumerate(points)
    )


def pie(series: list[tuple[str, list[tuple[str, float]]]]) -> str:
    total, angle, slices = sum(points[0][1] for _, points in series) or 1, -math.pi / 2, []
    radius = HEIGHT / 2 - MARGIN
    for index, (_, points) in enumerate(series):
        share = min(points[0][1] / total, 0.9999) * 2 * math.pi
        start, angle = angle, angle + share
        ends = [
            f"{WIDTH / 2 + radius * math.cos(a):.1f} {HEIGHT / 2 + radius * math.sin(a):.1f}" for a in (start, angle)
        ]
        large = int(share > math.pi)
        path = f"M {WIDTH / 2} {HEIGHT / 2} L {ends[0]} A {radius} {radius} 0 {large} 1 {ends[1]} Z"
        slices.append(tag("path", d=path, class_=f"slice series-{index % 6}"))
    return "".join(slices)


def numbers(series: list[tuple[str, list[tuple[str, float]]]]) -> str:
    rows = "".join(
        tag("tr", tag("td", escape(f"{name} {label}".strip())) + tag("td", f"{value:g}", class_="right"))
        for name, points in series
        for label, value in points
    )
    return tag("details", tag("summary", "Numbers") + tag("table", rows), class_="numbers")

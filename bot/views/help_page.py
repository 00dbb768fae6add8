"""How help looks: one line a command, or one command in full."""

from collections.abc import Sequence

from bot.command import Command
from bot.domain.document import Bullets, Code, Document, Line, Part, line, paragraph


def overview(sentence: str, commands: Sequence[Command], clusters: Sequence[str]) -> Document:
    parts: list[Part] = [
        Bullets("", tuple(line(Code(command.examples[0]), f" {command.summary}") for command in commands)),
        paragraph(
            line(
                "The same works in a mention, in a direct message and in a terminal: ",
                Code('gpubot ask "gpu status"'),
                ".",
            )
        ),
    ]
    if len(clusters) > 1:
        parts.append(
            paragraph(
                line("Another cluster: ", Code(f"/gpu status @{clusters[1]}"), f". Known: {', '.join(clusters)}.")
            )
        )
    return Document((sentence,), tuple(parts))


def detail(command: Command) -> Document:
    """Usage, options and examples; the text is the command's own page."""
    parts: list[Part] = [paragraph(line(Code(command.usage)))]
    if command.options:
        parts.append(Bullets("Options", tuple(_option(command, index) for index in range(len(command.options)))))
    parts.append(Bullets("Examples", tuple(line(Code(example)) for example in command.examples)))
    return Document((f"{command.summary}.",), tuple(parts))


def _option(command: Command, index: int) -> Line:
    option = command.options[index]
    return line(Code(option.example), f" {option.explains}")

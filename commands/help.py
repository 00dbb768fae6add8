"""`/gpu help`: what can be typed, with an example each; `/gpu help status` shows one command in full.

Whatever can be typed after `/gpu` can also be typed to gpubot in a mention, in a direct message and in a terminal:
`gpubot ask "gpu status"`.
"""

from bot.command import Access, Command, Reply, Request
from bot.domain.answer import Answer, Cause
from bot.domain.errors import NotFoundError
from bot.grammar import nearest, quoted
from bot.views import help_page


def run(request: Request) -> Reply:
    """Raises NotFoundError for a topic that is no command."""
    topic = " ".join(word.casefold() for word in request.words)
    commands = sorted(request.commands, key=lambda command: command.name)
    if not topic or topic == "me":
        sentence = "Ask gpubot about the GPUs of this cluster."
        return Reply(Answer(cause=Cause("help", sentence)), help_page.overview(sentence, commands, request.clusters))
    command = next((command for command in commands if command.name == topic), None)
    if command is None:
        close = nearest(topic, [command.name for command in commands])
        raise NotFoundError(f"There is no help on {quoted(topic)}; try `/gpu help{f' {close}' if close else ''}`.")
    return Reply(Answer(cause=Cause("help", command.summary)), help_page.detail(command))


COMMAND = Command(
    words=("help",),
    summary="What can be typed",
    access=Access.READ,
    examples=("/gpu help", "/gpu help status"),
    run=run,
    takes_words="[COMMAND]",
    page=__doc__ or "",
)

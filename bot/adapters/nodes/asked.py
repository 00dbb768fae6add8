"""One page of one pod, and what its refusals mean."""

from dataclasses import dataclass

from bot.adapters.nodes.place import Place
from bot.adapters.nodes.told import ANSWER_MAX_BYTES, LONGEST_WORDS, NotToldError
from bot.domain.text import inert


@dataclass(frozen=True, slots=True)
class Asked:
    """`ours`: the pod is gpubot's agent. Nobody else is shown its token, and only it speaks the agents' TLS.

    secure: another pod that speaks TLS, with a certificate of its own: only the API server can ask it.
    """

    place: Place
    page: str  # without a slash
    ours: bool
    at_most: int = ANSWER_MAX_BYTES
    secure: bool = False


def refused(asked: Asked, status: int, words: str, *, with_token: bool) -> NotToldError:
    who = "its agent" if asked.ours else f"the pod {inert(asked.place.pod)}"
    if status in (401, 403) and asked.ours:
        if with_token:
            return NotToldError(f"its agent does not accept the token of nodes.token_file ({status})")
        return NotToldError(f"its agent wants a token: nodes.token_file names none ({status})")
    if status == 404:
        return NotToldError(f"{who} does not serve /{asked.page}: is it of another version?")
    said = inert(words, LONGEST_WORDS)
    return NotToldError(f"{who} answers {status}{f': {said}' if said else ''}")

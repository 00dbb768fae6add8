"""The last word of a deployment: whether what is ready answers, and how fast; and how to ask it."""

from collections.abc import Iterator

from bot.changes.deploy_ask import wish_of
from bot.changes.deploy_follow import FIRST_TOKEN
from bot.changes.deploy_pods import workload
from bot.changes.kind import Phase, Progress
from bot.domain.change import Plan
from bot.domain.document import File, Part, table
from bot.domain.probing import Endpoint, Pace, Smoke
from bot.domain.text import inert
from bot.serving.engines.collect import engines
from bot.why.shell import kubectl

_SAID = 300
_COLUMNS = ("requests at once", "first token", "tokens per second", "failed")


def endpoint(plan: Plan) -> Endpoint:
    wish = wish_of(plan.arguments)
    variant = wish.variant or wish.model.variants[0]
    support = variant.support(plan.arguments["engine"])
    return Endpoint(
        plan.arguments["namespace"],
        plan.arguments["name"],
        engines()[plan.arguments["engine"]].port,
        plan.arguments["name"],
        tools=support is not None and bool(support.tool_parser),
    )


def smoked(plan: Plan, progress: Progress, smoke: Smoke) -> Progress:
    where = endpoint(plan)
    lines = (*_clock(progress, smoke), *_said(smoke))
    if not smoke.ok:
        sentence = f"{where.namespace}/{where.service} is ready and does not answer as it should: {smoke.wrong}."
        return Progress(Phase.FAILED, sentence, lines, workload(plan), parts=tuple(_paces(smoke)))
    parts = (*_paces(smoke), *_snippets(where))
    sentence = f"{progress.sentence} It answers."
    return Progress(Phase.DONE, sentence, (*lines, *_addresses(plan, where)), parts=parts)


def _clock(progress: Progress, smoke: Smoke) -> Iterator[str]:
    """With its last phase."""
    first = next((one.first_token_seconds for one in smoke.paces if one.first_token_seconds is not None), None)
    took = f" · ✓ first token {first:.2f} s" if first is not None and smoke.answer else " · ✗ first token"
    for line in progress.lines:
        yield f"{line.removesuffix(FIRST_TOKEN)}{took}" if line.endswith(FIRST_TOKEN) else line


def _said(smoke: Smoke) -> Iterator[str]:
    if smoke.answer:
        yield f"Its first words: “{inert(smoke.answer, _SAID).replace('`', '')}”"
    if smoke.called is not None:
        yield "A tool call came and parsed" if smoke.called else "A tool call did not come, or did not parse"


def _paces(smoke: Smoke) -> Iterator[Part]:
    if smoke.paces:
        yield table(_COLUMNS, [_row(one) for one in smoke.paces], numeric=(0, 1, 2, 3))


def _row(one: Pace) -> tuple[str, ...]:
    first = f"{one.first_token_seconds:.2f} s" if one.first_token_seconds is not None else "none"
    return (str(one.at_once), first, f"{one.tokens_per_second:.0f}", str(one.failed))


def _addresses(plan: Plan, where: Endpoint) -> Iterator[str]:
    yield f"Address in the cluster: `{_url(where)}`"
    host = plan.arguments.get("expose", "").partition(":")[2].rpartition("/")[2]
    if host:
        yield f"From outside: host `{inert(host, _SAID)}`, as soon as its name leads to the gateway"
    forward = kubectl(
        "port-forward", f"service/{where.service}", f"{where.port}:{where.port}", namespace=where.namespace
    )
    yield f"From a laptop: `{forward}`, then `http://127.0.0.1:{where.port}/v1`"


def _url(where: Endpoint) -> str:
    return f"http://{where.service}.{where.namespace}.svc:{where.port}/v1"


def _snippets(where: Endpoint) -> Iterator[Part]:
    """To be copied as they stand."""
    messages = '[{"role": "user", "content": "Hello"}]'
    body = f'{{"model": "{where.model}", "messages": {messages}}}'
    yield File(
        (f"curl {_url(where)}/chat/completions \\", "  -H 'Content-Type: application/json' \\", f"  -d '{body}'")
    )
    yield File(
        (
            "from openai import OpenAI",
            f'client = OpenAI(base_url="{_url(where)}", api_key="none")',
            f'answer = client.chat.completions.create(model="{where.model}", messages={messages})',
            "print(answer.choices[0].message.content)",
        )
    )

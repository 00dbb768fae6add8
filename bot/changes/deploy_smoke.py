"""The last word of a deployment: whether what is ready answers, and how fast; and how to ask it."""

from collections.abc import Iterator

from bot.changes.deploy_ask import wish_of
from bot.changes.kind import Phase, Progress
from bot.domain.change import Plan
from bot.domain.probing import Endpoint, Pace, Smoke
from bot.serving.engines.collect import engines


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
    if not smoke.ok:
        sentence = f"{where.namespace}/{where.service} is ready and does not answer as it should: {smoke.wrong}."
        return Progress(Phase.FAILED, sentence, progress.lines, f"deployment/{where.namespace}/{where.service}")
    return Progress(Phase.DONE, f"{progress.sentence} It answers.", (*progress.lines, *_told(where, smoke)))


def _told(where: Endpoint, smoke: Smoke) -> Iterator[str]:
    yield f"Its first words: “{smoke.answer}”"
    if smoke.called is not None:
        yield "A tool call came and parsed" if smoke.called else "A tool call did not parse"
    yield from map(_pace, smoke.paces)
    url = f"http://{where.service}.{where.namespace}.svc:{where.port}/v1"
    yield f"Address: `{url}`"
    body = f'{{"model": "{where.model}", "messages": [{{"role": "user", "content": "Hello"}}]}}'
    yield f"Try: `curl {url}/chat/completions -H 'Content-Type: application/json' -d '{body}'`"
    yield f'In Python: `OpenAI(base_url="{url}", api_key="none").chat.completions.create(model="{where.model}", …)`'


def _pace(one: Pace) -> str:
    first = f"{one.first_token_seconds:.2f} s to the first token" if one.first_token_seconds is not None else "no token"
    return f"{one.at_once} at once: {first}, {one.tokens_per_second:.0f} tokens a second in all"

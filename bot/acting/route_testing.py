"""One message to a route's channel, which says that it is a test: so that a wrong route shows before it is needed."""

from bot.acting.actor import Actor, Doing
from bot.acting.incidents.allowed import store_of
from bot.acting.posting import as_post
from bot.domain.document import Document
from bot.domain.errors import UserError
from bot.domain.incident import TryRoute
from bot.views import alerts


async def act(intent: TryRoute, doing: Doing) -> Document:
    """Raises ForbiddenError, UserError; UpstreamError where it cannot be recorded."""
    store_of(doing)
    rules, now = doing.cluster.alert_rules, doing.now()
    if rules is None or doing.posts is None:
        raise UserError("Nothing can be posted from here: this gpubot watches nothing.")
    route = alerts.named(rules, intent.route)
    document = alerts.test(route, doing.cluster.name, doing.asker)
    key = f"test/{doing.cluster.name}/{route.channel}/{now:%Y%m%d%H%M%S}"
    await doing.posts.put((as_post(key, route.channel, document),), now)
    return alerts.tested(route)


ACTOR = Actor(TryRoute, act)

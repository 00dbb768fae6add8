"""Messages as HTML: avatar, name, time, content, what only you see, reactions, the way into the thread."""

from __future__ import annotations

from datetime import date, timedelta

from bot.local.workspace.backend import Backend
from bot.local.workspace.messages import Post
from bot.local.workspace.page.address import Address
from bot.local.workspace.page.people_view import avatar, names_of, shown_name
from bot.local.workspace.render import Names, Scope, mrkdwn, render_blocks
from bot.local.workspace.render.emoji import emoji
from bot.local.workspace.render.html import escape, tag
from bot.local.workspace.setup import BOT_USER_ID

SAME_BREATH_SECONDS = 300


def timeline(backend: Backend, address: Address) -> str:
    """The open channel, with a line per day and one where the unread messages begin."""
    if address.room is None:
        return ""
    posts = backend.timeline.top_level(address.room.id, address.person.id)
    read_until = backend.timeline.last_read(address.person.id, address.room.id)
    parts, previous, marked = [], None, False
    for post in posts:
        if previous is None or day(backend, post) != day(backend, previous):
            parts.append(day_line(backend, post))
        if (
            not marked
            and previous is not None
            and read_until
            and post.ts > read_until
            and post.user != address.person.id
        ):
            parts.append(tag("div", tag("span", "New"), class_="new", role="separator", aria_label="New messages"))
            marked = True
        parts.append(message(backend, address, post, previous))
        previous = post
    return "".join(parts)


def thread(backend: Backend, address: Address) -> str:
    """The open thread: its root, a count, the replies."""
    if address.room is None or not address.thread_ts:
        return ""
    posts = backend.timeline.thread(address.room.id, address.person.id, address.thread_ts)
    if not posts:
        return tag("p", "This message is gone.", class_="empty")
    root, *replies = posts
    parts = [message(backend, address, root, None, in_thread=True)]
    parts.append(tag("div", tag("span", reply_count(posts)), class_="reply-line"))
    parts += [
        message(backend, address, post, before, in_thread=True)
        for before, post in zip([None, *replies], replies, strict=False)
    ]
    return "".join(parts)


def message(backend: Backend, address: Address, post: Post, previous: Post | None, *, in_thread: bool = False) -> str:
    """One message; follows on the one before without avatar when the same person goes on at once."""
    author = backend.directory.users[post.user]
    follows = previous is not None and continues(previous, post)
    side = tag("div", "" if follows else avatar(author), class_="side")
    if follows:
        side = tag("div", clock_time(names_of(backend.directory), post), class_="side")
    private = tag("div", tag("span", "", class_="eye", aria_hidden="true") + "Only visible to you", class_="private")
    body = (
        (private if post.ephemeral_to else "")
        + ("" if follows else heading(backend, post))
        + tag("div", content(backend, post, "t" if in_thread else "m"), class_="content")
        + reactions(post)
        + ("" if in_thread else replies_link(backend, address, post))
    )
    answered = " answered" if backend.timeline.replies(post) else ""
    kind = "message" + answered + (" ephemeral" if post.ephemeral_to else "") + (" follows" if follows else "")
    anchor = f"{'t' if in_thread else 'm'}-{post.ts}"
    tools = "" if in_thread else toolbar(address, post)
    return tag(
        "article",
        side + tag("div", body, class_="body") + tools,
        class_=kind,
        id=anchor,
        data_ts=post.ts,
        data_day=day(backend, post).isoformat(),
    )


def heading(backend: Backend, post: Post) -> str:
    author = backend.directory.users[post.user]
    badge = tag("span", "APP", class_="badge") if author.id == BOT_USER_ID else ""
    name = tag("span", escape(shown_name(author)), class_="author")
    return tag("div", name + badge + clock_time(names_of(backend.directory), post), class_="heading")


def clock_time(names: Names, post: Post) -> str:
    moment = names.local(float(post.ts))
    return tag("time", f"{moment:%H:%M}", datetime=moment.isoformat(), title=f"{moment:%A, %-d %B %Y, %H:%M:%S}")


def content(backend: Backend, post: Post, prefix: str) -> str:
    names = names_of(backend.directory)
    edited = tag("span", " (edited)", class_="edited") if post.edited else ""
    if not post.blocks:
        return tag("div", mrkdwn(post.text, names) + edited, class_="block text-only")
    return render_blocks(post.blocks, Scope(names, f"{prefix}{post.ts}")) + edited


def reactions(post: Post) -> str:
    chips = "".join(
        tag("span", f"{escape(emoji(name) or f':{name}:')} {len(users)}", class_="reaction")
        for name, users in post.reactions.items()
    )
    return tag("div", chips, class_="reactions") if chips else ""


def replies_link(backend: Backend, address: Address, post: Post) -> str:
    replies = backend.timeline.replies(post)
    if not replies:
        return ""
    authors = list(dict.fromkeys(reply.user for reply in replies))[:3]
    faces = "".join(avatar(backend.directory.users[author], small=True) for author in authors)
    last = clock_time(names_of(backend.directory), replies[-1])
    words = tag("span", counted(len(replies), "reply", "replies"), class_="count") + tag("small", f"last at {last}")
    return tag("a", faces + words, class_="replies", href=address.at(address.room, post.ts).href(), data_thread=post.ts)


def toolbar(address: Address, post: Post) -> str:
    if post.ephemeral_to:
        return ""
    href = address.at(address.room, post.ts).href()
    link = tag("a", "Reply", href=href, data_thread=post.ts, aria_label="Reply in thread", title="Reply in thread")
    return tag("div", link, class_="tools")


def continues(previous: Post, post: Post) -> bool:
    near = float(post.ts) - float(previous.ts) < SAME_BREATH_SECONDS
    private = post.ephemeral_to or previous.ephemeral_to
    return previous.user == post.user and near and not private and not post.blocks


def day(backend: Backend, post: Post) -> date:
    return names_of(backend.directory).local(float(post.ts)).date()


def day_line(backend: Backend, post: Post) -> str:
    when, today = day(backend, post), names_of(backend.directory).local(backend.clock()).date()
    words = {today: "Today", today - timedelta(days=1): "Yesterday"}.get(when)
    return tag(
        "div", tag("span", words or f"{when:%A, %-d %B %Y}"), class_="day", data_day=when.isoformat(), role="separator"
    )


def reply_count(posts: list[Post]) -> str:
    """Of a thread with its root."""
    return counted(len(posts) - 1, "reply", "replies")


def counted(number: int, singular: str, plural: str) -> str:
    return f"{number} {singular if number == 1 else plural}"

"""Changes of a cluster over real HTTP: done once, refused with who could help, or not known."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import msgspec
import pytest

from bot.adapters.cluster.access import Access
from bot.adapters.cluster.connection import Connection, plain
from bot.adapters.cluster.writer import ClusterWriter
from bot.domain.change import Step, Verb
from bot.domain.errors import ClusterError
from bot.domain.person import Identity
from bot.domain.writing import FieldOwner, Refusal, WriteRefusedError, WriteUnknownError
from bot.local.cluster.store import RESOURCES
from tests.adapters.cluster.writing import (
    BOT,
    Place,
    a_place,
    bind,
    deployment,
    pod_target,
    rule,
    scale,
    target,
    user,
)

OTHER = "00000000-0000-0000-0000-000000000001"
BUDGETS = RESOURCES["policy", "poddisruptionbudgets"]


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    async with a_place() as made:
        yield made


async def refusal(place: Place, step: Step, *, dry_run: bool = False, as_: Identity | None = None) -> WriteRefusedError:
    with pytest.raises(WriteRefusedError) as raised:
        await place.writer.do(step, dry_run=dry_run, as_=as_)
    return raised.value


# ---- done ------------------------------------------------------------------------------------------------------------


async def test_a_scale_is_patched_under_our_name_and_has_an_audit_id(place: Place) -> None:
    done = await place.writer.do(scale(5), dry_run=False)
    found = place.get("apps", "deployments", "glm")
    assert (place.replicas(), done.object["spec"]["replicas"], done.already) == (5, 5, False)
    assert [entry["manager"] for entry in found["metadata"]["managedFields"]] == ["helm", "gpubot"]
    assert len(done.audit_id) == 36


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(scale(5), id="a patch of the scale"),
        pytest.param(
            Step(verb=Verb.APPLY, target=target(), body={"metadata": {"labels": {"team": "ml"}}}), id="an apply"
        ),
        pytest.param(Step(verb=Verb.CREATE, target=target(name="new"), body=deployment("new")), id="a creation"),
        pytest.param(Step(verb=Verb.DELETE, target=target()), id="a deletion"),
        pytest.param(Step(verb=Verb.EVICT, target=pod_target()), id="an eviction"),
    ],
)
async def test_a_dry_run_of_anything_changes_nothing(place: Place, step: Step) -> None:
    before = place.store.version
    done = await place.writer.do(step, dry_run=True)
    assert (place.store.version, bool(done.audit_id)) == (before, True)
    await place.writer.do(step, dry_run=False)
    assert place.store.version > before


async def test_an_apply_owns_what_it_says_and_asks_twice_for_nothing(place: Place) -> None:
    step = Step(verb=Verb.APPLY, target=target(), body={"metadata": {"annotations": {"gpubot.dev/why": "test"}}})
    await place.writer.do(step, dry_run=False)
    version = place.store.version
    await place.writer.do(step, dry_run=False)
    [entry] = [
        e for e in place.get("apps", "deployments", "glm")["metadata"]["managedFields"] if e["manager"] != "helm"
    ]
    assert (entry["manager"], entry["operation"], place.store.version) == ("gpubot", "Apply", version)


@pytest.mark.parametrize("verb", [Verb.DELETE, Verb.EVICT])
async def test_what_is_gone_is_done(place: Place, verb: Verb) -> None:
    uid = place.get("", "pods", "glm-0")["metadata"]["uid"]
    step = Step(verb=verb, target=pod_target(uid=uid))
    assert not (await place.writer.do(step, dry_run=False)).already
    assert (await place.writer.do(step, dry_run=False)).already


@pytest.mark.parametrize("verb", [Verb.DELETE, Verb.EVICT])
async def test_a_successor_of_the_same_name_is_left_alone(place: Place, verb: Verb) -> None:
    done = await place.writer.do(Step(verb=verb, target=pod_target(uid=OTHER)), dry_run=False)
    assert (done.already, place.get("", "pods", "glm-0")["metadata"]["name"]) == (True, "glm-0")


async def test_options_of_a_deletion_go_along(place: Place) -> None:
    step = Step(verb=Verb.DELETE, target=pod_target(), body={"preconditions": {"resourceVersion": "1"}})
    assert (await refusal(place, step)).refusal is Refusal.CHANGED


async def test_what_the_api_server_warns_of_is_told() -> None:
    async def warn(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b'HTTP/1.1 200 OK\r\nWarning: 299 - "use \\"v2\\" instead"\r\nWarning: 299 - "b"\r\n')
        writer.write(b"Audit-Id: a-1\r\nContent-Length: 2\r\n\r\n{}")
        writer.close()

    server = await asyncio.start_server(warn, "127.0.0.1", 0)
    async with server, plain(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}") as connection:
        done = await ClusterWriter(connection).do(scale(5), dry_run=True)
    assert (done.audit_id, done.warnings) == ("a-1", ('use "v2" instead', "b"))


async def test_credentials_that_ended_are_renewed_and_the_change_is_made_once(place: Place) -> None:
    good = Access(place.server.url, "a test", headers={"Authorization": "Bearer t"})

    async def load() -> Access:
        return good

    stale = replace(good, headers={"Authorization": "Bearer old"})
    async with Connection(stale, load) as connection:
        await ClusterWriter(connection).do(scale(5), dry_run=False)
    assert place.replicas() == 5
    async with Connection(stale) as connection:
        with pytest.raises(WriteRefusedError) as raised:
            await ClusterWriter(connection).do(scale(6), dry_run=False)
    assert (raised.value.refusal, place.replicas()) == (Refusal.CREDENTIALS, 5)


# ---- refused ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(scale(5, uid=OTHER), id="its scale"),
        pytest.param(
            Step(verb=Verb.PATCH, target=target(uid=OTHER), body={"spec": {"paused": True}}), id="the object itself"
        ),
        pytest.param(
            Step(verb=Verb.APPLY, target=target(uid=OTHER), body={"metadata": {"labels": {"a": "b"}}}), id="an apply"
        ),
        pytest.param(
            Step(verb=Verb.APPLY, target=target(name="gone", uid=OTHER), body={"metadata": {"labels": {"a": "b"}}}),
            id="an apply of what is gone, which would make it anew",
        ),
    ],
)
async def test_an_object_made_anew_is_never_changed(place: Place, step: Step) -> None:
    before = place.store.version
    refused = await refusal(place, step)
    assert (refused.refusal, place.store.version) == (Refusal.REPLACED, before)
    assert "made anew since this was planned" in str(refused)


async def test_the_very_object_is_changed_by_its_uid(place: Place) -> None:
    uid = place.get("apps", "deployments", "glm")["metadata"]["uid"]
    await place.writer.do(scale(5, uid=uid), dry_run=False)
    await place.writer.do(Step(verb=Verb.PATCH, target=target(uid=uid), body={"spec": {"paused": True}}), dry_run=False)
    assert (place.replicas(), place.get("apps", "deployments", "glm")["spec"]["paused"]) == (5, True)


async def test_a_field_of_somebody_elses_is_named_with_its_owner(place: Place) -> None:
    step = Step(verb=Verb.APPLY, target=target(), body={"spec": {"replicas": 9}})
    refused = await refusal(place, step, dry_run=True)
    assert (refused.refusal, refused.owners) == (Refusal.OWNED, (FieldOwner("helm", ".spec.replicas"),))
    assert str(refused) == (
        "Cannot change deployment/glm in llm: .spec.replicas belongs to helm; change it where that manager takes it from."
    )


async def test_a_budget_that_forbids_it_is_named(place: Place) -> None:
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": "glm"}}}
    status = {"disruptionsAllowed": 0, "desiredHealthy": 1, "currentHealthy": 1}
    place.store.create(BUDGETS, "llm", {"metadata": {"name": "keep"}, "spec": spec, "status": status})
    refused = await refusal(place, Step(verb=Verb.EVICT, target=pod_target()))
    assert (refused.refusal, refused.status, refused.retryable) == (Refusal.DISRUPTION, 429, True)
    assert "The disruption budget keep needs 1 healthy pods and has 1 currently" in str(refused)


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        pytest.param(scale(5, name="none"), Refusal.ABSENT, id="no such object"),
        pytest.param(scale(-5), Refusal.INVALID, id="a negative number"),
        pytest.param(
            Step(verb=Verb.PATCH, target=target(), body={"spec": {"replica": 3}}),
            Refusal.INVALID,
            id="a field mistyped",
        ),
        pytest.param(Step(verb=Verb.CREATE, target=target(), body=deployment()), Refusal.EXISTS, id="a name taken"),
        pytest.param(
            Step(verb=Verb.PATCH, target=target(), body={"metadata": {"resourceVersion": "1"}}),
            Refusal.CHANGED,
            id="another version",
        ),
        pytest.param(scale(5, name="../../x"), Refusal.INVALID, id="a name that leads elsewhere"),
        pytest.param(scale(5, name=".."), Refusal.INVALID, id="a name that leads up"),
        pytest.param(scale(5, namespace="a?b\n"), Refusal.INVALID, id="a namespace with a line break"),
    ],
)
async def test_other_refusals(place: Place, step: Step, kind: Refusal) -> None:
    before = place.store.version
    refused = await refusal(place, step)
    assert (refused.refusal, place.store.version) == (kind, before)
    assert str(refused).startswith(("Cannot change ", "Cannot create "))


# ---- in a person's name ----------------------------------------------------------------------------------------------


async def test_a_change_in_a_persons_name_is_judged_as_that_person(place: Place) -> None:
    bind(place.store, "bot", user(BOT), rule("impersonate", "users groups"))
    bind(place.store, "ana", user("ana"), rule("patch", "deployments/scale", "apps"))
    await place.writer.do(scale(5), dry_run=False, as_=Identity("ana", ("team-a",)))
    refused = await refusal(place, scale(6), as_=Identity("ben"))
    assert (place.replicas(), refused.refusal, refused.status) == (5, Refusal.FORBIDDEN, 403)
    assert str(refused) == (
        "Cannot change deployment/glm (scale) in llm: ben lacks the verb patch on deployments/scale.apps for the "
        "namespace llm; whoever grants roles there can give it."
    )


async def test_that_gpubot_may_not_act_for_somebody_is_said_of_gpubot(place: Place) -> None:
    bind(place.store, "bot", user(BOT), rule("patch", "deployments/scale", "apps"))
    refused = await refusal(place, scale(6), as_=Identity("ana"))
    assert (refused.refusal, place.replicas()) == (Refusal.FORBIDDEN, 2)
    assert "gpubot may not act in the name of ana" in str(refused)


@pytest.mark.parametrize("name", ["", "ana\r\nImpersonate-Group: system:masters"], ids=["nobody", "a header in a name"])
async def test_a_name_that_no_header_can_hold_is_refused_before_it_is_sent(place: Place, name: str) -> None:
    refused = await refusal(place, scale(6), as_=Identity(name))
    assert (refused.refusal, refused.status, place.replicas()) == (Refusal.INVALID, 0, 2)


# ---- not known, not sent ---------------------------------------------------------------------------------------------


async def _cut_off(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Take the request and say nothing."""
    await reader.readuntil(b"\r\n\r\n")
    writer.close()


async def _login_page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\nConnection: close\r\n\r\n<html></html>")
    writer.close()


@pytest.mark.parametrize("how", [_cut_off, _login_page], ids=["no answer", "an answer that is no object"])
async def test_what_was_sent_without_an_answer_is_not_known(how: object) -> None:
    server = await asyncio.start_server(how, "127.0.0.1", 0)  # type: ignore[arg-type]
    port = server.sockets[0].getsockname()[1]
    async with server, plain(f"http://127.0.0.1:{port}") as connection:
        writer = ClusterWriter(connection)
        with pytest.raises(WriteUnknownError, match=r"Whether patch of deployment/glm .* must be read again first"):
            await writer.do(scale(5), dry_run=False)
        with pytest.raises(ClusterError) as dry:
            await writer.do(scale(5), dry_run=True)
    assert not isinstance(dry.value, WriteUnknownError)


@pytest.mark.parametrize(
    ("status", "known"),
    [(500, False), (502, False), (503, False), (504, False), (501, True), (429, True), (403, True)],
)
async def test_which_answers_leave_it_open(place: Place, status: int, known: bool) -> None:
    place.server.fail("/apis/apps/v1/namespaces/llm/deployments/glm/scale", status)
    with pytest.raises(WriteRefusedError if known else WriteUnknownError):
        await place.writer.do(scale(5), dry_run=False)


async def test_what_could_not_be_sent_was_not_done() -> None:
    async with plain("http://127.0.0.1:1") as connection:
        with pytest.raises(ClusterError, match="connection refused") as raised:
            await ClusterWriter(connection).do(scale(5), dry_run=False)
    assert (isinstance(raised.value, WriteUnknownError), raised.value.retryable) == (False, True)


async def test_every_change_has_a_socket_of_its_own() -> None:
    """A server that hangs up after each answer without saying so is no trouble: nothing is sent into a dead socket."""
    answer = b'{"kind":"Scale"}'
    ports: list[int] = []

    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        ports.append(writer.get_extra_info("peername")[1])
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(answer), answer))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(once, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, plain(f"http://127.0.0.1:{port}") as connection:
        for _ in range(3):
            assert (await ClusterWriter(connection).do(scale(5), dry_run=False)).object == {"kind": "Scale"}
    assert len(set(ports)) == 3


async def test_a_refusal_is_read_to_its_end_however_it_comes() -> None:
    message = "x" * 9000 + ' strict decoding error: unknown field "spec.replica"'
    body = msgspec.json.encode({"kind": "Status", "reason": "Invalid", "message": message})

    async def in_pieces(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 422 Unprocessable\r\nContent-Length: %d\r\n\r\n" % len(body))
        for at in range(0, len(body), 1000):
            writer.write(body[at : at + 1000])
            await writer.drain()
            await asyncio.sleep(0)
        writer.close()

    server = await asyncio.start_server(in_pieces, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, plain(f"http://127.0.0.1:{port}") as connection:
        with pytest.raises(WriteRefusedError, match=r'unknown field "spec\.replica"'):
            await ClusterWriter(connection).do(scale(5), dry_run=False)


# ---- reading ---------------------------------------------------------------------------------------------------------


async def test_an_object_is_read_with_its_managers(place: Place) -> None:
    found = await place.writer.read(target())
    assert found is not None
    assert found["metadata"]["managedFields"][0]["manager"] == "helm"
    assert (await place.writer.read(target(subresource="scale")) or {})["kind"] == "Scale"
    assert (await place.writer.read(pod_target(subresource="eviction")) or {})["kind"] == "Pod"
    assert await place.writer.read(target(name="none")) is None


async def test_what_cannot_be_read_is_no_none(place: Place, connection: Connection) -> None:
    place.server.fail("/apis/apps/v1", 503)
    with pytest.raises(ClusterError, match="503"):
        await place.writer.read(target())
    with pytest.raises(ClusterError, match="no part of a path"):
        await place.writer.read(target(name=".."))


async def test_a_log_is_read_from_its_end(place: Place) -> None:
    assert await place.writer.log("llm", "glm-0", "engine", 2) == "two\nthree\n"
    with pytest.raises(ClusterError):
        await place.writer.log("llm", "none", "engine", 2)

"""The demo: a Slack and a Kubernetes on this machine, and the real bot between them.

gpubot demo                       prints the page's address and stays up; Ctrl-C stops it
gpubot demo --tour --exit         a short visit through Slack's own wire, printed here; exit status 1 if it failed
gpubot demo --scenario storm      another story
gpubot demo --kubeconfig FILE     the same page over a real cluster, which is only read
"""

import argparse
import asyncio
import signal
import sys

from bot.cli.verb import Verb

PORT = 8765


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tour", action="store_true", help="play a short visit and print it")
    parser.add_argument("--exit", action="store_true", help="end after the tour (or after the start)")
    parser.add_argument("--scenario", default="default", metavar="NAME", help="which story the local cluster tells")
    parser.add_argument("--speed", type=float, default=1.0, metavar="N", help="how fast its clock runs")
    parser.add_argument("--port", type=int, default=PORT, metavar="N", help=f"of the page (default {PORT})")
    parser.add_argument("--kubeconfig", metavar="FILE", help="read a real cluster instead")
    parser.add_argument("--context", metavar="NAME", help="a context of that kubeconfig")
    parser.add_argument("--api-server", metavar="URL", help="read a real API server that needs no credentials instead")
    parser.add_argument("--verbose", action="store_true", help="show the bot's log")


def run(chosen: argparse.Namespace) -> int:
    from bot.logs import set_up

    _check(chosen)
    set_up("info" if chosen.verbose else "error", json_lines=False)
    return asyncio.run(_demo(chosen))


def _check(chosen: argparse.Namespace) -> None:
    from bot.domain.errors import UsageError
    from bot.local.cluster import LocalCluster

    known = LocalCluster.scenarios()
    if chosen.scenario not in known:
        raise UsageError(f"There is no scenario {chosen.scenario!r}; there are: {', '.join(known)}.")
    if not 0.1 <= chosen.speed <= 1000:
        raise UsageError(f"--speed {chosen.speed:g} is out of range: give a number from 0.1 to 1000.")
    if not 0 <= chosen.port <= 65535:
        raise UsageError(f"--port {chosen.port} is no port: give a number from 0 to 65535.")


async def _demo(chosen: argparse.Namespace) -> int:
    from bot.demo.stage import Options, stage

    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    options = Options(chosen.scenario, chosen.speed, chosen.port, chosen.kubeconfig, chosen.context, chosen.api_server)
    _say("Starting a Slack and a Kubernetes on this machine …" if not chosen.kubeconfig else "Starting a Slack …")
    async with stage(options) as running:
        workspace = running.workspace
        if workspace.port_taken:
            _say(f"Port {chosen.port} is taken; using {workspace.port}.")
        _say(f"Open {workspace.page_url} and type: /gpu status")
        good = await _tour(running) if chosen.tour else True
        if not chosen.exit:
            _say("Ctrl-C stops the demo.")
            await stop.wait()
            _say("\nStopping …")
    return 0 if good else 1


async def _tour(running: object) -> bool:
    from bot.demo.stage import Stage
    from bot.demo.tour import Done, visit

    assert isinstance(running, Stage)

    def tell(done: Done) -> None:
        _say(f"\n{'─' * 100}\n{done.step.who} in {done.step.where}:  {done.step.typed}\n")
        _say("\n".join(f"    {line}" for line in done.text.splitlines()))
        if done.wrong:
            _say(f"    WRONG: {done.wrong}")

    good = await visit(running, running.app.settings.slack.command, tell)
    _say(f"\n{'─' * 100}\n{'The tour went well.' if good else 'The tour FAILED.'}")
    return good


def _say(text: str) -> None:
    print(text)
    sys.stdout.flush()


VERB = Verb("demo", "try it: a Slack and a Kubernetes on this machine", arguments, run)

"""Write a folder from a live cluster that `gpubot ask --from` answers from as from the cluster itself.

    gpubot capture DIR                 the cluster that kubectl would use
    gpubot capture DIR --rename        with other names for nodes, namespaces, pods, owners, images and hosts

Never in it: Secrets, values of environment variables and arguments that look secret, values of ConfigMaps. Kinds that
may not be read are left out, and the folder says so. Exit status 2 where something could not be read.
"""

import argparse
import asyncio
from pathlib import Path

from bot.cli.source import moment
from bot.cli.verb import Verb
from bot.domain.words import count


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", help="a folder that does not exist yet, or is empty")
    parser.add_argument("--kubeconfig", metavar="FILE", help="a kubeconfig file")
    parser.add_argument("--context", metavar="NAME", help="a context of that kubeconfig")
    parser.add_argument("--rename", action="store_true", help="replace names, so that the folder can be shown around")


def run(chosen: argparse.Namespace) -> int:
    return asyncio.run(_capture(chosen))


async def _capture(chosen: argparse.Namespace) -> int:
    from bot.adapters.capture import capture
    from bot.adapters.cluster.opening import open_connection

    async with await open_connection(chosen.kubeconfig, chosen.context) as connection:
        report = await capture(connection, Path(chosen.directory), rename=chosen.rename, now=moment())
    kinds, size_mib = count(len(report.objects), "kind"), report.bytes_written / 2**20
    print(f"{count(sum(report.objects.values()), 'object')} of {kinds} in {report.directory}, {size_mib:.1f} MiB.")
    left_out = {**report.forbidden, **report.silent}
    for kind, words in sorted(left_out.items()):
        print(f"  not in it: {kind} ({words})")
    print(f'Ask it: gpubot ask --from {report.directory} "gpu status"')
    return 2 if left_out else 0


VERB = Verb("capture", "write a cluster into a folder, without secrets", arguments, run)

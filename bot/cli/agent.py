"""Read this node's GPUs by NVML and serve what the driver says; one on each GPU node (config/kubernetes/agent).

    gpubot agent                                            on 127.0.0.1:9410, for a look by hand
    gpubot agent --listen 0.0.0.0:9410 --token-file FILE    for the bot and for Prometheus

Serves /reading (JSON), /metrics (Prometheus), /kernel (the kernel's lines about GPUs) and /healthz. It changes nothing
on the node and takes no GPU. Exit status 0 after SIGTERM, 75 where only a new container gets the driver's library.
"""

import argparse
import os
import sys

from bot.agent.options import arguments, command_line, options
from bot.cli.verb import Verb


def run(chosen: argparse.Namespace) -> int:
    """Becomes `python -m bot.agent`: the other verbs, loaded to find this one, take more memory than the agent."""
    options(chosen)  # what is wrong is told here, as of any verb
    command = [sys.executable, "-m", "bot.agent", *command_line(chosen)]
    os.execv(command[0], command)


VERB = Verb("agent", "read this node's GPUs and serve what the driver says", arguments, run)
